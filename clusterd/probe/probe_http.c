// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http, https: a request by libcurl; a complete answer with an expected status
 * and body passes.
 *
 * libcurl's multi interface tells which sockets to watch and when it wants to
 * be called; both go into the probes' epoll set.  Nothing may block or leave
 * the beaten track: the URL's host is connected to by address (no DNS), and
 * there are no proxies, cookies or kept connections.  What is tested is the
 * whole way of a new client.  A redirect is followed at the same address,
 * whatever host it names: another host's health is another probe's business.
 *
 * Certificates are verified by probe_tls.c, between the handshake and the
 * request.
 *
 * libcurl's TLS must not be OpenSSL's: see m4/clusterd_curl.m4.
 *
 * The multi handle is made with the first check: who has no HTTP probe has no
 * libcurl state (and libcurl isn't carried through the fork at start).
 */
#include "cluster_compat.h"

#include <sys/epoll.h>

#include <curl/curl.h>

#include "clusterd.h"
#include "cluster_debug.h"
#include "cluster_errors.h"
#include "core/cluster_sched.h"
#include "probe/probe_io.h"
#include "probe/probe_match.h"
#include "probe/probe_tls.h"
#include "probe/probe_type.h"

DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_HTTP, "HTTP check");
DEFINE_MTYPE_STATIC(CLUSTERD, PROBE_HTTP_SOCKET, "HTTP socket");

/* Beyond that an answer counts as complete: nobody reads it. */
#define HTTP_BODY_MAX (256 * 1024)

/* What is expected must be in as many bytes of the body. */
#define HTTP_SEARCH_MAX (64 * 1024)

/* "https://" + host + ":65535" + path */
#define HTTP_URL_LEN (8 + PROBE_HOST_LEN + 6 + PROBE_PATH_LEN)

struct probe_http {
	struct probe_check *check;
	CURL *easy;
	struct curl_slist *connect_to;
	int64_t started_us;
	size_t body;
	bool body_cut;
	bool connecting; /* a socket was watched: connect() itself was fine */
	struct probe_http_headers headers;
	struct http_socket *sock; /* while it is watched */

	/* What is expected. */
	char status[PROBE_STATUS_LEN];
	bool http2;
	char tls_ca_file[PROBE_CA_FILE_LEN];
	struct probe_regex *regex; /* or NULL */
	char *text;		   /* the body's begin, if there is a regex */
	size_t n_text;

	/* Fault of a certificate. */
	enum probe_tls_result tls;
	char tls_why[PROBE_DETAIL_LEN];

	/* Where the socket goes. */
	char vrf[PROBE_VRF_LEN];
	char ifname[PROBE_IFNAME_LEN];
	struct ipaddr source;
	char local[PROBE_DETAIL_LEN]; /* why there is no socket; or "" */
	int local_err;		      /* likewise: an errno */

	char error[CURL_ERROR_SIZE];
};

/* A check has at most one, but it may outlive the check in libcurl. */
struct http_socket {
	struct probe_fd pfd;
	struct probe_http *h; /* NULL: its check has ended */
};

static struct {
	CURLM *multi;
	struct probe_timer timer;
	bool failed; /* logged */
} http;

/* ------------------------------------------------------------------------ */
/* The end of a check                                                       */

static void http_free(struct probe_http *h)
{
	if (h->sock)
		h->sock->h = NULL;
	curl_easy_cleanup(h->easy);
	curl_slist_free_all(h->connect_to);
	probe_regex_free(&h->regex);
	XFREE(MTYPE_PROBE_HTTP, h->text);
	XFREE(MTYPE_PROBE_HTTP, h);
}

static void probe_http_cancel(struct probe_check *check)
{
	struct probe_http *h = check->state;

	check->state = NULL;
	curl_multi_remove_handle(http.multi, h->easy);
	http_free(h);
}

static enum probe_result http_body_result(struct probe_http *h, char *detail,
					  size_t len)
{
	switch (probe_regex_search(h->regex, h->text ? h->text : "", h->n_text)) {
	case PROBE_REGEX_FOUND:
		return PROBE_PASS;
	case PROBE_REGEX_NOT_FOUND:
		snprintf(detail, len, "no match in %zu bytes of the body",
			 h->n_text);
		break;
	case PROBE_REGEX_GAVE_UP:
		strlcpy(detail, "expect regex takes too long on this body", len);
		break;
	}
	return PROBE_RESPONSE;
}

/* A complete answer. */
static enum probe_result http_answer_result(struct probe_http *h, char *detail,
					    size_t len)
{
	long status = 0, version = 0;

	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	snprintf(detail, len, "HTTP status %ld", status);
	if (!probe_status_match(h->status, status))
		return PROBE_RESPONSE;
	curl_easy_getinfo(h->easy, CURLINFO_HTTP_VERSION, &version);
	if (h->http2 && version != CURL_HTTP_VERSION_2_0) {
		strlcpy(detail, "the server speaks no HTTP/2", len);
		return PROBE_RESPONSE;
	}
	return h->regex ? http_body_result(h, detail, len) : PROBE_PASS;
}

/* The library's text, which may quote what the target sent. */
static void http_error_text(const struct probe_http *h, CURLcode code,
			    char *detail, size_t len)
{
	strlcpy(detail, h->error[0] ? h->error : curl_easy_strerror(code), len);
	for (char *c = detail; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
}

static enum probe_result http_errno_result(struct probe_http *h, CURLcode code,
					   char *detail, size_t len)
{
	long err = 0;

	if (h->local[0]) {
		strlcpy(detail, h->local, len);
		return PROBE_LOCAL;
	}
	curl_easy_getinfo(h->easy, CURLINFO_OS_ERRNO, &err);
	if (err == 0) {
		/*
		 * Of TLS: without the closing alert, as many servers do. What
		 * such a body was to be nobody can say, but all that there is
		 * to judge by has come.
		 */
		if (h->headers.to_the_end)
			return http_answer_result(h, detail, len);
		http_error_text(h, code, detail, len);
		return PROBE_RESPONSE;
	}
	strlcpy(detail, safe_strerror(err), len);
	/* At once, by our own kernel: see probe_tcp.c. */
	if (!h->connecting && err != ECONNREFUSED)
		return PROBE_LOCAL;
	return probe_io_result(err);
}

static bool http_answered(const struct probe_http *h)
{
	long status = 0;

	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	return status != 0;
}

static enum probe_result http_result(struct probe_http *h, CURLcode code,
				     char *detail, size_t len)
{
	switch (code) {
	case CURLE_OK:
		return http_answer_result(h, detail, len);
	case CURLE_WRITE_ERROR:
		if (h->body_cut)
			return http_answer_result(h, detail, len);
		strlcpy(detail, curl_easy_strerror(code), len);
		return PROBE_LOCAL;
	case CURLE_OPERATION_TIMEDOUT:
		return PROBE_TIMEOUT;
	case CURLE_COULDNT_CONNECT:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return http_errno_result(h, code, detail, len);
	case CURLE_ABORTED_BY_CALLBACK:
		strlcpy(detail, h->tls_why, len);
		return h->tls == PROBE_TLS_LOCAL ? PROBE_LOCAL : PROBE_RESPONSE;
	case CURLE_GOT_NOTHING:
		strlcpy(detail, "closed without an answer", len);
		return PROBE_RESPONSE;
#if LIBCURL_VERSION_NUM >= 0x080600
	case CURLE_TOO_LARGE:
#endif
	case CURLE_OUT_OF_MEMORY:
		/* libcurl's words for a header that is too long for it, too. */
		if (http_answered(h)) {
			strlcpy(detail, "too long a header", len);
			return PROBE_RESPONSE;
		}
		http_error_text(h, code, detail, len);
		return PROBE_LOCAL;
	case CURLE_FAILED_INIT:
	case CURLE_URL_MALFORMAT:
	case CURLE_NOT_BUILT_IN:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_BAD_FUNCTION_ARGUMENT:
		http_error_text(h, code, detail, len);
		/* Of a redirect's target it is the server's fault. */
		return http_answered(h) ? PROBE_RESPONSE : PROBE_LOCAL;
	default:
		/* TLS, a broken HTTP, a body that ends early, ... */
		http_error_text(h, code, detail, len);
		return PROBE_RESPONSE;
	}
}

/* Takes what is complete out of libcurl. */
static void http_reap(void)
{
	char detail[PROBE_DETAIL_LEN];
	struct probe_check *check;
	enum probe_result result;
	struct probe_http *h;
	int64_t rtt_us;
	CURLMsg *msg;
	int left, err;

	while ((msg = curl_multi_info_read(http.multi, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &h);
		detail[0] = '\0';
		result = http_result(h, msg->data.result, detail,
				     sizeof(detail));
		rtt_us = cluster_now_us() - h->started_us;
		check = h->check;
		err = h->local_err;
		probe_http_cancel(check); /* msg is invalid now */
		if (err)
			probe_check_unsent(check, err, detail);
		else
			probe_check_done(check, result, rtt_us, detail);
	}
}

/* ------------------------------------------------------------------------ */
/* libcurl's sockets and timer                                              */

/*
 * libcurl only asks SO_ERROR; see probe_io_icmp_error().  True: the check has
 * ended, and the socket with it.
 */
static bool http_icmp_error(struct http_socket *sock)
{
	char detail[PROBE_DETAIL_LEN];
	struct probe_check *check;
	int err;

	if (!sock->h)
		return false;
	err = probe_io_icmp_error(sock->pfd.fd, detail, sizeof(detail));
	if (!err)
		return false;
	check = sock->h->check;
	probe_http_cancel(check);
	probe_check_done(check, probe_io_result(err), -1, detail);
	return true;
}

static void http_socket_ready(struct probe_fd *pfd, uint32_t events)
{
	struct http_socket *sock = container_of(pfd, struct http_socket, pfd);
	int action = 0;
	int running;

	if ((events & EPOLLERR) && http_icmp_error(sock))
		return;

	if (events & (EPOLLIN | EPOLLHUP))
		action |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		action |= CURL_CSELECT_OUT;
	if (events & EPOLLERR)
		action |= CURL_CSELECT_ERR;
	curl_multi_socket_action(http.multi, pfd->fd, action, &running);
	http_reap();
}

static void http_timer_due(struct probe_timer *timer)
{
	int running;

	curl_multi_socket_action(http.multi, CURL_SOCKET_TIMEOUT, 0, &running);
	http_reap();
}

static int http_timer_cb(CURLM *multi, long timeout_ms, void *arg)
{
	if (timeout_ms < 0)
		probe_io_timer_set(&http.timer, INT64_MAX);
	else
		probe_io_timer_set(&http.timer,
				   cluster_now_us() +
					   timeout_ms * INT64_C(1000));
	return 0;
}

static int http_socket_cb(CURL *easy, curl_socket_t fd, int what, void *arg,
			  void *socket_arg)
{
	struct http_socket *sock = socket_arg;
	struct probe_http *h = NULL;
	uint32_t events = 0;

	if (what == CURL_POLL_REMOVE) {
		if (sock) {
			if (sock->h && sock->h->sock == sock)
				sock->h->sock = NULL;
			probe_io_del(&sock->pfd);
			XFREE(MTYPE_PROBE_HTTP_SOCKET, sock);
			curl_multi_assign(http.multi, fd, NULL);
		}
		return 0;
	}

	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
	if (sock) {
		probe_io_modify(&sock->pfd, events);
		return 0;
	}

	sock = XCALLOC(MTYPE_PROBE_HTTP_SOCKET, sizeof(*sock));
	if (probe_io_add(&sock->pfd, fd, events, http_socket_ready) < 0) {
		/* Never ready: the check times out. */
		flog_err(EC_CLUSTER_SYSTEM, "epoll_ctl: %m");
		XFREE(MTYPE_PROBE_HTTP_SOCKET, sock);
		return 0;
	}
	curl_multi_assign(http.multi, fd, sock);
	curl_easy_getinfo(easy, CURLINFO_PRIVATE, &h);
	if (h) {
		/* After a redirect there may be another already. */
		if (h->sock)
			h->sock->h = NULL;
		h->connecting = true;
		h->sock = sock;
		sock->h = h;
	}
	return 0;
}

/* A link-local address needs its interface, which only the socket has. */
static void zone_set(int fd, struct curl_sockaddr *addr)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)&addr->addr;
	int ifindex = 0;
	socklen_t len = sizeof(ifindex);

	if (addr->family == AF_INET6 &&
	    IN6_IS_ADDR_LINKLOCAL(&sin6->sin6_addr) &&
	    getsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &ifindex, &len) == 0)
		sin6->sin6_scope_id = ifindex;
}

static curl_socket_t http_open_cb(void *arg, curlsocktype purpose,
				  struct curl_sockaddr *addr)
{
	struct probe_http *h = arg;
	int fd = probe_io_socket(addr->family, SOCK_STREAM, IPPROTO_TCP, h->vrf,
				 h->ifname, &h->source, h->local,
				 sizeof(h->local));

	h->local_err = fd < 0 ? errno : 0;
	if (fd < 0)
		return CURL_SOCKET_BAD;
	zone_set(fd, addr);
	return fd;
}

static int http_close_cb(void *arg, curl_socket_t fd)
{
	probe_io_tcp_close(fd);
	return 0;
}

/* One line, the empty one at the end of the headers as well. */
static size_t http_header_cb(char *line, size_t size, size_t n, void *arg)
{
	struct probe_http *h = arg;

	probe_http_header_line(&h->headers, line, size * n);
	return size * n;
}

static size_t http_body_cb(char *data, size_t size, size_t n, void *arg)
{
	struct probe_http *h = arg;
	size_t len = size * n;
	size_t take = HTTP_SEARCH_MAX - h->n_text;

	if (h->regex && len && take) {
		take = len < take ? len : take;
		h->text = XREALLOC(MTYPE_PROBE_HTTP, h->text, h->n_text + take);
		memcpy(h->text + h->n_text, data, take);
		h->n_text += take;
	}
	h->body += len;
	h->body_cut = h->body > HTTP_BODY_MAX;
	return h->body_cut ? 0 : len;
}

/* The host of the request, which isn't the first one's after a redirect. */
static bool http_url_host(CURL *easy, bool *tls, char *host, size_t len)
{
	CURLU *url = curl_url();
	char *text = NULL, *scheme = NULL, *name = NULL;
	bool good;

	curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text);
	good = url && text &&
	       curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
	       curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	       curl_url_get(url, CURLUPART_HOST, &name, 0) == CURLUE_OK;
	if (good) {
		*tls = strmatch(scheme, "https");
		strlcpy(host, name[0] == '[' ? name + 1 : name, len);
		host[strcspn(host, "]")] = '\0';
	}
	curl_free(scheme);
	curl_free(name);
	curl_url_cleanup(url);
	return good;
}

/* The connection stands, TLS and all; the request has not been sent. */
static int http_prereq_cb(void *arg, char *primary_ip, char *local_ip,
			  int primary_port, int local_port)
{
	struct probe_http *h = arg;
	struct curl_tlssessioninfo *info = NULL;
	char host[PROBE_HOST_LEN];
	bool tls = true;

	if (http_url_host(h->easy, &tls, host, sizeof(host))) {
		if (!tls)
			return CURL_PREREQFUNC_OK;
		curl_easy_getinfo(h->easy, CURLINFO_TLS_SSL_PTR, &info);
	}
	if (!info || info->backend != CURLSSLBACKEND_GNUTLS ||
	    !info->internals) {
		h->tls = PROBE_TLS_LOCAL;
		strlcpy(h->tls_why, "libcurl shows no certificate",
			sizeof(h->tls_why));
		return CURL_PREREQFUNC_ABORT;
	}
	h->tls = probe_tls_verify(info->internals, h->tls_ca_file, host,
				  h->tls_why, sizeof(h->tls_why));
	return h->tls == PROBE_TLS_GOOD ? CURL_PREREQFUNC_OK
					: CURL_PREREQFUNC_ABORT;
}

/* ------------------------------------------------------------------------ */
/* The start of a check                                                     */

static bool http_multi_ready(void)
{
	if (http.multi)
		return true;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		http.multi = curl_multi_init();
	if (http.multi &&
	    probe_io_timer_add(&http.timer, false, http_timer_due) == 0) {
		curl_multi_setopt(http.multi, CURLMOPT_SOCKETFUNCTION,
				  http_socket_cb);
		curl_multi_setopt(http.multi, CURLMOPT_TIMERFUNCTION,
				  http_timer_cb);
		/* No connection is used twice. */
		curl_multi_setopt(http.multi, CURLMOPT_MAXCONNECTS, 1L);
		curl_multi_setopt(http.multi, CURLMOPT_PIPELINING,
				  CURLPIPE_NOTHING);
		http.failed = false;
		return true;
	}

	if (!http.failed)
		flog_err(EC_CLUSTER_SYSTEM, "libcurl can't be set up: %m");
	http.failed = true;
	curl_multi_cleanup(http.multi);
	http.multi = NULL;
	return false;
}

/* `target` as in a URL. */
static void http_literal(const struct ipaddr *target, char *buf, size_t len)
{
	snprintfrr(buf, len, IS_IPADDR_V6(target) ? "[%pIA]" : "%pIA", target);
}

static void http_set_url(struct probe_http *h, const struct probe_config *config,
			 const struct ipaddr *target)
{
	bool tls = probe_config_type(config) == PROBE_TYPE_HTTPS;
	uint16_t port = probe_config_port(config);
	char literal[INET6_ADDRSTRLEN + 2];
	char connect_to[INET6_ADDRSTRLEN + 16];
	char url[HTTP_URL_LEN];

	http_literal(target, literal, sizeof(literal));
	snprintf(url, sizeof(url), "%s://%s:%u%s", tls ? "https" : "http",
		 config->host[0] ? config->host : literal, port,
		 probe_config_path(config));
	curl_easy_setopt(h->easy, CURLOPT_URL, url);

	if (config->host[0] || config->follow) {
		/*
		 * Any host, and any port, are at the target's address. Not
		 * CURLOPT_RESOLVE: its entries are shared by all checks, and
		 * two targets may have one host name.
		 */
		snprintf(connect_to, sizeof(connect_to), "::%s:", literal);
		h->connect_to = curl_slist_append(NULL, connect_to);
		curl_easy_setopt(h->easy, CURLOPT_CONNECT_TO, h->connect_to);
	}
}

static void http_set_options(struct probe_http *h)
{
	CURL *easy = h->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, h);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "frr-clusterd");

	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	/* Not the environment's either. */
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");

	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, http_open_cb);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, h);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, http_close_cb);

	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_header_cb);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, h);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_body_cb);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, h);

	/* Not by libcurl, which reads all CA certificates for every check. */
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
}

/* What is configured of request and answer. */
static void http_set_config(struct probe_http *h,
			    const struct probe_config *config)
{
	bool tls = probe_config_type(config) == PROBE_TYPE_HTTPS;
	char why[PROBE_DETAIL_LEN];
	long version = CURL_HTTP_VERSION_1_1;

	if (config->http2)
		version = tls ? CURL_HTTP_VERSION_2TLS
			      : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
	curl_easy_setopt(h->easy, CURLOPT_HTTP_VERSION, version);
	curl_easy_setopt(h->easy, CURLOPT_FOLLOWLOCATION,
			 config->follow ? 1L : 0L);
	curl_easy_setopt(h->easy, CURLOPT_MAXREDIRS, (long)config->follow);
	curl_easy_setopt(h->easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	if (config->method == PROBE_METHOD_HEAD)
		curl_easy_setopt(h->easy, CURLOPT_NOBODY, 1L);
	else if (config->method == PROBE_METHOD_OPTIONS)
		curl_easy_setopt(h->easy, CURLOPT_CUSTOMREQUEST, "OPTIONS");
	if (config->tls_verify) {
		curl_easy_setopt(h->easy, CURLOPT_PREREQFUNCTION,
				 http_prereq_cb);
		curl_easy_setopt(h->easy, CURLOPT_PREREQDATA, h);
	}

	h->http2 = config->http2;
	strlcpy(h->tls_ca_file, config->tls_ca_file, sizeof(h->tls_ca_file));
	strlcpy(h->status, probe_config_expect_status(config),
		sizeof(h->status));
	/* The command has refused what would be wrong here. */
	if (config->expect_regex[0])
		h->regex = probe_regex_new(config->expect_regex, why,
					   sizeof(why));
}

static void probe_http_start(struct probe_check *check,
			     const struct probe_config *config, const char *vrf,
			     const struct ipaddr *target)
{
	struct probe_http *h;
	CURLMcode code = CURLM_OUT_OF_MEMORY;

	errno = 0;
	if (!http_multi_ready()) {
		probe_check_unsent(check, errno, "libcurl can't be set up");
		return;
	}

	h = XCALLOC(MTYPE_PROBE_HTTP, sizeof(*h));
	h->check = check;
	h->started_us = cluster_now_us();
	strlcpy(h->vrf, vrf, sizeof(h->vrf));
	strlcpy(h->ifname, config->ifname, sizeof(h->ifname));
	h->source = config->source;
	h->easy = curl_easy_init();
	if (h->easy) {
		http_set_options(h);
		http_set_config(h, config);
		http_set_url(h, config, target);
		/* libcurl asks for its timer, and begins there. */
		code = curl_multi_add_handle(http.multi, h->easy);
	}
	if (code != CURLM_OK) {
		http_free(h);
		probe_check_done(check, PROBE_LOCAL, -1,
				 curl_multi_strerror(code));
		return;
	}
	check->state = h;
}

static void probe_http_fini(void)
{
	probe_tls_fini();
	if (!http.multi)
		return;
	curl_multi_cleanup(http.multi);
	probe_io_timer_del(&http.timer);
	curl_global_cleanup();
	memset(&http, 0, sizeof(http));
}

const struct probe_type probe_type_http = {
	.start = probe_http_start,
	.cancel = probe_http_cancel,
	.fini = probe_http_fini,
};
