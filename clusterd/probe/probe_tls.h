/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a TLS server's certificate is good, and if not why: by GnuTLS, with
 * stores of CA certificates that are read once and not for every check (140
 * of the system take tens of milliseconds, in which nothing else would run).
 */
#ifndef CLUSTER_PROBE_TLS_H
#define CLUSTER_PROBE_TLS_H

#include <stdbool.h>
#include <stddef.h>

enum probe_tls_result {
	PROBE_TLS_GOOD,
	PROBE_TLS_BAD,	 /* `why` says what is wrong with the certificate */
	PROBE_TLS_LOCAL, /* ..., with our CA certificates */
};

/*
 * Verifies the certificate of `session` (a gnutls_session_t behind its
 * handshake) for `host`, a name or an address, by the CA certificates in PEM
 * file `ca_file` ("": the system's).  A file that has changed is read again.
 */
extern enum probe_tls_result probe_tls_verify(void *session, const char *ca_file,
					      const char *host, char *why,
					      size_t why_len);

/* Frees the stores. */
extern void probe_tls_fini(void);

#endif /* CLUSTER_PROBE_TLS_H */
