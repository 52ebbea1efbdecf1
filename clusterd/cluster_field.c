// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster_field.h"

void cluster_field_number(const struct cluster_field *field, void *member,
			  const char *value)
{
	uint64_t number = strtoul(value, NULL, 10) * (uint64_t)field->scale;

	switch (field->size) {
	case sizeof(uint8_t):
		*(uint8_t *)member = (uint8_t)number;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)member = (uint16_t)number;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)member = (uint32_t)number;
		break;
	default:
		assert(field->size == sizeof(int64_t));
		*(int64_t *)member = (int64_t)number;
	}
}

void cluster_field_flag(const struct cluster_field *field, void *member,
			const char *value)
{
	*(bool *)member = strcmp(value, "false") != 0;
}

void cluster_field_text(const struct cluster_field *field, void *member,
			const char *value)
{
	snprintf(member, field->size, "%s", value);
}

static bool is_in(const struct cluster_field *field, const char *parent)
{
	if (!field->parent || !parent)
		return field->parent == parent;
	return strcmp(field->parent, parent) == 0;
}

const struct cluster_field *
cluster_field_find(const struct cluster_field *fields, const char *parent,
		   const char *leaf)
{
	while (fields->leaf &&
	       (strcmp(fields->leaf, leaf) != 0 || !is_in(fields, parent)))
		fields++;
	assert(fields->leaf);
	return fields;
}

void cluster_field_set(const struct cluster_field *field, void *object,
		       const void *preset, const char *value)
{
	char *member = (char *)object + field->offset;

	if (value)
		field->set(field, member, value);
	else
		memcpy(member, (const char *)preset + field->offset,
		       field->size);
}
