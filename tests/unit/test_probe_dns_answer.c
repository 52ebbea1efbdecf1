// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers of DNS servers, made by hand. */
#include <stdlib.h>
#include <string.h>
#include <zebra.h>

#define CARES_NO_DEPRECATED
#include <ares.h>

#include "memory.h"

#include "probe/probe_dns_answer.h"
#include "unit.h"

DEFINE_MGROUP(CLUSTERD, "clusterd");

enum { A = 1, NS = 2, CNAME = 5, SOA = 6, TXT = 16, AAAA = 28 };

/* The answer that is being made: for "a.test", whose name is at octet 12. */
static uint8_t msg[4096];
static size_t msg_len;

static void put(const void *data, size_t n)
{
	assert_true(msg_len + n <= sizeof(msg));
	memcpy(msg + msg_len, data, n);
	msg_len += n;
}

static void put16(unsigned int number)
{
	put((uint8_t[]){ number >> 8, number }, 2);
}

static void begin(unsigned int type)
{
	static const uint8_t header[] = { 0, 1, 0x81, 0x80, 0, 1,
					  0, 0, 0,    0,    0, 0 };

	msg_len = 0;
	put(header, sizeof(header));
	put("\1a\4test", 8);
	put16(type);
	put16(1);
}

static void record(unsigned int type, const void *data, size_t n)
{
	msg[7]++;
	put16(0xc00c);
	put16(type);
	put16(1);
	put16(0);
	put16(60);
	put16(n);
	put(data, n);
}

static enum probe_dns_type asked;
static enum probe_result result;
static char detail[PROBE_DETAIL_LEN];

static int judge(const char *wanted)
{
	/* An allocation of exactly that size shows every read behind it. */
	uint8_t *exact = malloc(msg_len);
	int status;

	memcpy(exact, msg, msg_len);
	result = PROBE_LOCAL;
	strlcpy(detail, "untouched", sizeof(detail));
	status = probe_dns_answer(asked, wanted, exact, msg_len, &result,
				  detail);
	free(exact);
	if (status != ARES_SUCCESS) {
		assert_int_equal(result, PROBE_LOCAL);
		assert_string_equal(detail, "untouched");
	}
	return status;
}

static void expect(const char *wanted, enum probe_result want, const char *text)
{
	assert_int_equal(judge(wanted), ARES_SUCCESS);
	assert_int_equal(result, want);
	assert_string_equal(detail, text);
}

static void test_addresses(void **state)
{
	asked = PROBE_DNS_A;
	begin(A);
	record(A, "\xc0\0\2\1", 4);
	record(A, "\xc0\0\2\2", 4);
	expect("", PROBE_PASS, "192.0.2.1");
	expect("192.0.2.1", PROBE_PASS, "192.0.2.1");
	expect("192.0.2.2", PROBE_PASS, "192.0.2.2");
	expect("192.0.2.3", PROBE_RESPONSE, "answer 192.0.2.1, not 192.0.2.3");

	/* The default is a. */
	asked = PROBE_DNS_UNSET;
	expect("", PROBE_PASS, "192.0.2.1");

	asked = PROBE_DNS_AAAA;
	begin(AAAA);
	record(AAAA, "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\xa", 16);
	expect("", PROBE_PASS, "2001:db8::a");
	expect("2001:DB8::A", PROBE_PASS, "2001:db8::a");
	expect("2001:db8::b", PROBE_RESPONSE,
	       "answer 2001:db8::a, not 2001:db8::b");
}

static void test_texts(void **state)
{
	char wanted[PROBE_DNS_ANSWER_LEN], longest[512], shown[PROBE_DETAIL_LEN];

	asked = PROBE_DNS_TXT;
	begin(TXT);
	record(TXT, "\5hello", 6);
	record(TXT, "\3Up \4and \3run", 13);
	expect("", PROBE_PASS, "hello");
	expect("HELLO", PROBE_PASS, "hello");
	expect("up and run", PROBE_PASS, "Up and run");
	expect("up", PROBE_RESPONSE, "answer hello, not up");

	/* Neither a NUL nor other octets harm or match. */
	begin(TXT);
	record(TXT, "\7up\0\033[m\xff", 8);
	expect("up", PROBE_RESPONSE, "answer up??[m?, not up");
	expect("up??[m?", PROBE_RESPONSE, "answer up??[m?, not up??[m?");

	/* An empty one is one. */
	begin(TXT);
	record(TXT, "\0", 1);
	expect("", PROBE_PASS, "");
	expect("up", PROBE_RESPONSE, "answer , not up");

	/* The longest that can be wanted, and others that begin with it. */
	memset(wanted, 'x', sizeof(wanted));
	wanted[sizeof(wanted) - 1] = '\0';
	memset(shown, 'x', sizeof(shown));
	shown[sizeof(shown) - 1] = '\0';
	memset(longest, 'x', sizeof(longest));
	longest[0] = longest[256] = (char)255;
	begin(TXT);
	record(TXT, longest, 256);
	expect(wanted, PROBE_PASS, shown);
	begin(TXT);
	record(TXT, longest, 512);
	assert_int_equal(judge(wanted), ARES_SUCCESS);
	assert_int_equal(result, PROBE_RESPONSE);
	expect("", PROBE_PASS, shown);
	longest[256] = 1;
	begin(TXT);
	record(TXT, longest, 258);
	assert_int_equal(judge(wanted), ARES_SUCCESS);
	assert_int_equal(result, PROBE_RESPONSE);
}

static void test_names(void **state)
{
	asked = PROBE_DNS_NS;
	begin(NS);
	record(NS, "\3ns1\xc0\x0c", 6);
	record(NS, "\3NS2\4test", 10);
	expect("", PROBE_PASS, "ns1.a.test");
	expect("ns2.TEST", PROBE_PASS, "NS2.test");
	expect("ns3.test", PROBE_RESPONSE, "answer ns1.a.test, not ns3.test");

	asked = PROBE_DNS_SOA;
	begin(SOA);
	record(SOA,
	       "\3ns1\xc0\x0c\1h\xc0\x0c\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5",
	       30);
	expect("", PROBE_PASS, "ns1.a.test");
	expect("NS1.a.test", PROBE_PASS, "ns1.a.test");
	expect("ns2.a.test", PROBE_RESPONSE,
	       "answer ns1.a.test, not ns2.a.test");
}

/* Without a record of the type, or cut anywhere: nothing to judge by. */
static void test_none(void **state)
{
	static const struct {
		enum probe_dns_type asked;
		unsigned int type;
	} kinds[] = {
		{ PROBE_DNS_A, A },	{ PROBE_DNS_AAAA, AAAA },
		{ PROBE_DNS_NS, NS },	{ PROBE_DNS_SOA, SOA },
		{ PROBE_DNS_TXT, TXT },
	};

	for (size_t i = 0; i < array_size(kinds); i++) {
		asked = kinds[i].asked;
		begin(kinds[i].type);
		assert_int_not_equal(judge(""), ARES_SUCCESS);
		assert_int_not_equal(judge("x"), ARES_SUCCESS);
		record(CNAME, "\1b\xc0\x0e", 4);
		assert_int_not_equal(judge(""), ARES_SUCCESS);
		assert_int_not_equal(judge("x"), ARES_SUCCESS);
		msg[msg_len - 1] = 0xff;
		while (--msg_len)
			assert_int_not_equal(judge(""), ARES_SUCCESS);
	}
	asked = PROBE_DNS_TXT;
	begin(TXT);
	record(CNAME, "\1b\xc0\x0e", 4);
	assert_int_equal(judge(""), ARES_ENODATA);
	asked = PROBE_DNS_A;
	begin(A);
	record(CNAME, "\1b\xc0\x0e", 4);
	assert_int_equal(judge(""), ARES_ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
