// SPDX-License-Identifier: GPL-2.0-or-later
/* Brings struct hostent, which c-ares gives addresses and names in. */
#include <zebra.h>

/* The parsers are called by their old names up to Debian 13. */
#define CARES_NO_DEPRECATED
#include <ares.h>

#include "printfrr.h"

#include "probe/probe_dns_answer.h"

struct records {
	const char *wanted; /* "": any */
	size_t n;
	bool found;
	char text[PROBE_DETAIL_LEN]; /* what was found, or the first one */
};

/*
 * The next record, `len` bytes, of which `text` has as many as fit into it. With
 * its length: a NUL in it ends nothing.
 */
static void record_add(struct records *records, const char *text, size_t len)
{
	bool same = len == strlen(records->wanted) &&
		    strncasecmp(text, records->wanted, len) == 0;
	size_t n = MIN(len, sizeof(records->text) - 1);

	if (records->n++ == 0 || same) {
		for (size_t i = 0; i < n; i++)
			records->text[i] = text[i] >= ' ' && text[i] <= '~'
						   ? text[i]
						   : '?';
		records->text[n] = '\0';
	}
	records->found = same || !records->wanted[0];
}

static int add_addresses(struct records *records, enum probe_dns_type type,
			 const uint8_t *msg, int len)
{
	struct hostent *host = NULL;
	char text[INET6_ADDRSTRLEN];
	int status;

	/* As a host, which has them all: c-ares' arrays are of a fixed size. */
	if (type == PROBE_DNS_AAAA)
		status = ares_parse_aaaa_reply(msg, len, &host, NULL, NULL);
	else
		status = ares_parse_a_reply(msg, len, &host, NULL, NULL);
	if (status != ARES_SUCCESS)
		return status;
	for (char **addr = host->h_addr_list; *addr && !records->found; addr++) {
		inet_ntop(host->h_addrtype, *addr, text, sizeof(text));
		record_add(records, text, strlen(text));
	}
	ares_free_hostent(host);
	return status;
}

static int add_texts(struct records *records, const uint8_t *msg, int len)
{
	struct ares_txt_ext *texts = NULL;
	char text[PROBE_DNS_ANSWER_LEN];
	size_t n = 0;
	int status = ares_parse_txt_reply_ext(msg, len, &texts);

	for (struct ares_txt_ext *t = texts; t && !records->found; t = t->next) {
		/* A record may be in several pieces. */
		if (n < sizeof(text))
			memcpy(text + n, t->txt,
			       MIN(t->length, sizeof(text) - n));
		n += t->length;
		if (t->next && !t->next->record_start)
			continue;
		record_add(records, text, n);
		n = 0;
	}
	if (texts)
		ares_free_data(texts);
	return status;
}

static int add_name_servers(struct records *records, const uint8_t *msg, int len)
{
	struct hostent *host = NULL;
	int status = ares_parse_ns_reply(msg, len, &host);

	if (status != ARES_SUCCESS)
		return status;
	for (char **name = host->h_aliases; *name && !records->found; name++)
		record_add(records, *name, strlen(*name));
	ares_free_hostent(host);
	return status;
}

static int add_soa(struct records *records, const uint8_t *msg, int len)
{
	struct ares_soa_reply *soa = NULL;
	int status = ares_parse_soa_reply(msg, len, &soa);

	if (status != ARES_SUCCESS)
		return status;
	record_add(records, soa->nsname, strlen(soa->nsname));
	ares_free_data(soa);
	return status;
}

int probe_dns_answer(enum probe_dns_type type, const char *wanted,
		     const uint8_t *msg, size_t len, enum probe_result *result,
		     char detail[PROBE_DETAIL_LEN])
{
	struct records records = { .wanted = wanted };
	int status;

	switch (type) {
	case PROBE_DNS_TXT:
		status = add_texts(&records, msg, len);
		break;
	case PROBE_DNS_NS:
		status = add_name_servers(&records, msg, len);
		break;
	case PROBE_DNS_SOA:
		status = add_soa(&records, msg, len);
		break;
	default:
		status = add_addresses(&records, type, msg, len);
		break;
	}
	if (status != ARES_SUCCESS)
		return status;
	/* It may have other names only. */
	if (!records.n)
		return ARES_ENODATA;
	if (records.found) {
		*result = PROBE_PASS;
		strlcpy(detail, records.text, PROBE_DETAIL_LEN);
	} else {
		*result = PROBE_RESPONSE;
		snprintfrr(detail, PROBE_DETAIL_LEN, "answer %s, not %s",
			   records.text, wanted);
	}
	return status;
}
