/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves of a YANG model that are members of a structure (pure): a table says
 * which leaf is which member.  A leaf that goes gives its member the value back
 * that it has in a preset: a structure with all defaults.
 */
#ifndef CLUSTER_FIELD_H
#define CLUSTER_FIELD_H

#include <stddef.h>
#include <stdint.h>

struct cluster_field {
	const char *parent; /* container that the leaf is in; NULL: none */
	const char *leaf;   /* NULL: the table's end */
	/* Writes the member; `value` is the leaf's, in its canonical form. */
	void (*set)(const struct cluster_field *field, void *member,
		    const char *value);
	uint16_t offset, size;
	uint32_t scale; /* of a number: so many times the leaf's */
};

#define CLUSTER_FIELD(parent_, leaf_, set_, scale_, struct_, member)           \
	{                                                                      \
		.parent = (parent_), .leaf = (leaf_), .set = (set_),           \
		.scale = (scale_), .offset = offsetof(struct struct_, member), \
		.size = sizeof(((struct struct_ *)NULL)->member),              \
	}

/* Of 1, 2 or 4 octets, or an int64_t. */
extern void cluster_field_number(const struct cluster_field *field,
				 void *member, const char *value);
/* A bool: of a leaf of type boolean, or of one of type empty that is there. */
extern void cluster_field_flag(const struct cluster_field *field, void *member,
			       const char *value);
/* An array of char. */
extern void cluster_field_text(const struct cluster_field *field, void *member,
			       const char *value);

/* The table has that leaf. */
extern const struct cluster_field *
cluster_field_find(const struct cluster_field *fields, const char *parent,
		   const char *leaf);

/* `value` NULL: the leaf is gone. */
extern void cluster_field_set(const struct cluster_field *field, void *object,
			      const void *preset, const char *value);

#endif /* CLUSTER_FIELD_H */
