// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "clusterd.h"
#include "probe/probe_config.h"
#include "probe/probe_tls.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_TLS, "Store of CA certificates");

/* Where Debian's ca-certificates, and with it GnuTLS, has the system's. */
#define SYSTEM_CA "/etc/ssl/certs/ca-certificates.crt"

/* So many are kept; another takes the place of the oldest. */
#define STORES_MAX 16

/* The system's has a quarter of a megabyte; more isn't read in one go. */
#define CA_FILE_MAX (4 * 1024 * 1024)

/* Longer chains are nobody's. */
#define CHAIN_MAX 16

PREDECL_DLIST(stores);

struct store {
	struct stores_item item;
	char file[PROBE_CA_FILE_LEN]; /* "": the system's */
	struct stat stat;	      /* of what was read */
	gnutls_x509_trust_list_t list;
};
DECLARE_DLIST(stores, struct store, item);

static struct stores_head stores = INIT_DLIST(stores);

/* ------------------------------------------------------------------------ */
/* Stores                                                                   */

static void store_free(struct store *store)
{
	stores_del(&stores, store);
	gnutls_x509_trust_list_deinit(store->list, 1);
	XFREE(MTYPE_PROBE_TLS, store);
}

static struct store *store_find(const char *file)
{
	struct store *store;

	frr_each (stores, &stores, store)
		if (strmatch(store->file, file))
			return store;
	return NULL;
}

static bool store_current(const struct store *store, const struct stat *stat)
{
	return store->stat.st_ino == stat->st_ino &&
	       store->stat.st_dev == stat->st_dev &&
	       store->stat.st_size == stat->st_size &&
	       store->stat.st_mtim.tv_sec == stat->st_mtim.tv_sec &&
	       store->stat.st_mtim.tv_nsec == stat->st_mtim.tv_nsec;
}

/* Why that isn't a file of certificates; NULL: it may be one. */
static const char *ca_flaw(const struct stat *stat)
{
	if (!S_ISREG(stat->st_mode))
		return "not a regular file";
	return stat->st_size > CA_FILE_MAX ? "more than 4 MiB" : NULL;
}

/*
 * As many certificates as are in the file; less than 0: an error of GnuTLS.
 * What has been added to it in the meantime is read the next time.
 */
static int ca_read_fd(struct store *store, int fd)
{
	size_t len = (size_t)store->stat.st_size;
	gnutls_datum_t pem = {
		.data = XMALLOC(MTYPE_PROBE_TLS, len + 1),
	};
	int certificates;
	ssize_t n;

	while (pem.size < len &&
	       (n = read(fd, pem.data + pem.size, len - pem.size)) > 0)
		pem.size += (unsigned int)n;
	pem.data[pem.size] = '\0';
	certificates =
		gnutls_x509_trust_list_add_trust_mem(store->list, &pem, NULL,
						     GNUTLS_X509_FMT_PEM, 0, 0);
	XFREE(MTYPE_PROBE_TLS, pem.data);
	return certificates;
}

/*
 * Nothing is waited for, nor read without end, if in this moment somebody puts
 * a FIFO or a device there.  NULL, or why it can't be read.
 */
static const char *ca_read(struct store *store, int *certificates)
{
	int fd = open(store->file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *flaw;

	if (fd < 0)
		return safe_strerror(errno);
	if (fstat(fd, &store->stat) < 0)
		flaw = safe_strerror(errno);
	else
		flaw = ca_flaw(&store->stat);
	if (!flaw)
		*certificates = ca_read_fd(store, fd);
	close(fd);
	return flaw;
}

/* Likewise; the system's are wherever GnuTLS was built to look for them. */
static const char *store_read(struct store *store)
{
	const char *flaw = NULL;
	int n = 0;

	if (store->file[0])
		flaw = ca_read(store, &n);
	else
		n = gnutls_x509_trust_list_add_system_trust(store->list, 0, 0);
	if (flaw || n > 0)
		return flaw;
	return n < 0 ? gnutls_strerror(n) : "there are none in it";
}

/* NULL: `why` gets a text. */
static struct store *store_get(const char *file, char *why, size_t why_len)
{
	const char *path = file[0] ? file : SYSTEM_CA;
	struct store *store = store_find(file);
	const char *flaw;
	struct stat now;

	flaw = stat(path, &now) < 0 ? safe_strerror(errno) : ca_flaw(&now);
	if (!flaw && store && store_current(store, &now))
		return store;
	if (!flaw) {
		if (store)
			store_free(store);
		else if (stores_count(&stores) >= STORES_MAX)
			store_free(stores_first(&stores));
		store = XCALLOC(MTYPE_PROBE_TLS, sizeof(*store));
		strlcpy(store->file, file, sizeof(store->file));
		store->stat = now;
		gnutls_x509_trust_list_init(&store->list, 0);
		stores_add_tail(&stores, store);
		flaw = store_read(store);
		if (!flaw)
			return store;
		store_free(store);
	}
	snprintf(why, why_len, "CA certificates %s: %s", path, flaw);
	return NULL;
}

void probe_tls_fini(void)
{
	struct store *store;

	while ((store = stores_first(&stores)))
		store_free(store);
}

/* ------------------------------------------------------------------------ */
/* Certificates                                                             */

/* The server's chain, its own certificate first; how many, 0: none. */
static unsigned int chain_get(gnutls_session_t session,
			      gnutls_x509_crt_t chain[CHAIN_MAX])
{
	const gnutls_datum_t *raw;
	unsigned int n_raw = 0, n = 0;

	raw = gnutls_certificate_get_peers(session, &n_raw);
	while (raw && n < n_raw && n < CHAIN_MAX) {
		if (gnutls_x509_crt_init(&chain[n]) < 0)
			break;
		n++;
		if (gnutls_x509_crt_import(chain[n - 1], &raw[n - 1],
					   GNUTLS_X509_FMT_DER) < 0)
			break;
	}
	return n;
}

/* The first thing to mend, for one certificate may have several faults. */
static void fault_text(unsigned int status, gnutls_x509_crt_t cert,
		       const char *host, char *why, size_t why_len)
{
	gnutls_datum_t text = {};

	if (status & GNUTLS_CERT_EXPIRED)
		strlcpy(why, "certificate has expired", why_len);
	else if (status & GNUTLS_CERT_NOT_ACTIVATED)
		strlcpy(why, "certificate isn't valid yet", why_len);
	else if ((status & GNUTLS_CERT_SIGNER_NOT_FOUND) &&
		 gnutls_x509_crt_check_issuer(cert, cert))
		strlcpy(why, "certificate is self-signed", why_len);
	else if (status & GNUTLS_CERT_SIGNER_NOT_FOUND)
		strlcpy(why, "certificate is by an unknown CA", why_len);
	else if (status & GNUTLS_CERT_UNEXPECTED_OWNER)
		snprintf(why, why_len, "certificate isn't for %s", host);
	else if (gnutls_certificate_verification_status_print(status,
							      GNUTLS_CRT_X509,
							      &text, 0) == 0)
		strlcpy(why, (const char *)text.data, why_len);
	else
		strlcpy(why, "certificate isn't valid", why_len);
	gnutls_free(text.data);
}

enum probe_tls_result probe_tls_verify(void *session, const char *ca_file,
				       const char *host, char *why,
				       size_t why_len)
{
	gnutls_typed_vdata_st wanted[] = {
		{ GNUTLS_DT_DNS_HOSTNAME, (unsigned char *)host, 0 },
		{ GNUTLS_DT_KEY_PURPOSE_OID,
		  (unsigned char *)GNUTLS_KP_TLS_WWW_SERVER, 0 },
	};
	struct store *store = store_get(ca_file, why, why_len);
	gnutls_x509_crt_t chain[CHAIN_MAX];
	unsigned int status = 0;
	unsigned int n;
	int error;

	if (!store)
		return PROBE_TLS_LOCAL;
	n = chain_get(session, chain);
	if (!n) {
		strlcpy(why, "no certificate", why_len);
		return PROBE_TLS_BAD;
	}
	error = gnutls_x509_trust_list_verify_crt2(store->list, chain, n,
						   wanted, array_size(wanted),
						   0, &status, NULL);
	if (error < 0)
		snprintf(why, why_len, "certificate can't be verified: %s",
			 gnutls_strerror(error));
	else if (status)
		fault_text(status, chain[0], host, why, why_len);
	for (unsigned int i = 0; i < n; i++)
		gnutls_x509_crt_deinit(chain[i]);
	return error < 0 || status ? PROBE_TLS_BAD : PROBE_TLS_GOOD;
}
