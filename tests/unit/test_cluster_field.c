// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves that are members of a structure. */
#include "config.h"

#include "unit.h"

#include "cluster_field.h"

struct thing {
	uint8_t small;
	uint16_t middle;
	uint32_t large, inside;
	int64_t time_us;
	bool flag;
	char text[8];
};

static void even_set(const struct cluster_field *field, void *member,
		     const char *value)
{
	cluster_field_number(field, member, value);
	*(uint8_t *)member &= 0xfe;
}

#define NUMBER(leaf, scale, member)                                            \
	CLUSTER_FIELD(NULL, leaf, cluster_field_number, scale, thing, member)

static const struct cluster_field small[] = {
	CLUSTER_FIELD(NULL, "even", even_set, 1, thing, small),
	{},
};

static const struct cluster_field fields[] = {
	NUMBER("small", 1, small),
	NUMBER("middle", 1, middle),
	CLUSTER_FIELD("box", "large", cluster_field_number, 1, thing, inside),
	NUMBER("large", 1, large),
	NUMBER("time", 1000, time_us),
	CLUSTER_FIELD(NULL, "flag", cluster_field_flag, 0, thing, flag),
	CLUSTER_FIELD(NULL, "text", cluster_field_text, 0, thing, text),
	{},
};

static const struct thing preset = { .small = 7, .text = "preset" };

static void set(struct thing *thing, const char *parent, const char *leaf,
		const char *value)
{
	cluster_field_set(cluster_field_find(fields, parent, leaf), thing,
			  &preset, value);
}

static void test_numbers(void **state)
{
	struct thing thing = {};

	set(&thing, NULL, "small", "255");
	set(&thing, NULL, "middle", "65535");
	set(&thing, NULL, "large", "4294967295");
	set(&thing, "box", "large", "1");
	set(&thing, NULL, "time", "4294967295");
	assert_int_equal(thing.small, 255);
	assert_int_equal(thing.middle, 65535);
	assert_true(thing.large == UINT32_MAX);
	assert_int_equal(thing.inside, 1);
	assert_true(thing.time_us == INT64_C(4294967295000));
}

static void test_others(void **state)
{
	struct thing thing = {};

	set(&thing, NULL, "flag", "true");
	assert_true(thing.flag);
	set(&thing, NULL, "flag", "false");
	assert_false(thing.flag);
	/* Of type empty: it is there. */
	set(&thing, NULL, "flag", "");
	assert_true(thing.flag);
	set(&thing, NULL, "text", "longer than that");
	assert_string_equal(thing.text, "longer ");
	cluster_field_set(cluster_field_find(small, NULL, "even"), &thing,
			  &preset, "5");
	assert_int_equal(thing.small, 4);
}

static void test_gone(void **state)
{
	struct thing thing = { .small = 1, .flag = true, .text = "other" };

	set(&thing, NULL, "small", NULL);
	set(&thing, NULL, "flag", NULL);
	set(&thing, NULL, "text", NULL);
	assert_memory_equal(&thing, &preset, sizeof(thing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
