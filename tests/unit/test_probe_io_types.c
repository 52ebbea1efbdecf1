// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp and http checks against servers on the loopback. */
#include "probe_loop.h"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>

#include "probe_check.h"

static void start(struct checked *c, const struct probe_type *type,
		  const struct probe_config *config)
{
	memset(c, 0, sizeof(*c));
	check_start(c, type, config, "127.0.0.1");
}

static void run(struct checked *c, const struct probe_type *type,
		const struct probe_config *config)
{
	memset(c, 0, sizeof(*c));
	check_run(c, type, config, "127.0.0.1");
}

/* ------------------------------------------------------------------------ */
/* A server of canned answers                                               */

enum finish {
	FINISH_CLOSE,
	FINISH_RESET,
	FINISH_WAIT, /* until the client has gone */
};

struct server {
	int fd;
	uint16_t port;
	pthread_t thread;
	const char *answer; /* NULL: none; repeated `times` */
	int times;
	enum finish finish;
	char request[1024];
	bool client_gone;
};

static int listener(uint16_t *port)
{
	struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, len), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	*port = ntohs(sin.sin_port);
	return fd;
}

static void *serve(void *arg)
{
	struct server *server = arg;
	struct linger linger = { .l_onoff = 1 };
	int fd = accept(server->fd, NULL, NULL);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n = 0;
	char end;

	if (fd < 0)
		return NULL;
	if (poll(&pfd, 1, WAIT_S * 1000) == 1)
		n = recv(fd, server->request, sizeof(server->request) - 1, 0);
	if (n > 0)
		server->request[n] = '\0';
	for (int i = 0; server->answer && i < server->times; i++)
		if (send(fd, server->answer, strlen(server->answer),
			 MSG_NOSIGNAL) < 0)
			break;
	if (server->finish == FINISH_WAIT && poll(&pfd, 1, WAIT_S * 1000) == 1)
		server->client_gone = recv(fd, &end, 1, 0) <= 0;
	if (server->finish == FINISH_RESET)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
	return NULL;
}

static void server_start(struct server *server, const char *answer, int times,
			 enum finish finish)
{
	memset(server, 0, sizeof(*server));
	server->answer = answer;
	server->times = times;
	server->finish = finish;
	server->fd = listener(&server->port);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server),
			 0);
}

/* Of one to which somebody has connected, accepted yet or not. */
static void server_join(struct server *server)
{
	pthread_join(server->thread, NULL);
	close(server->fd);
}

static void server_end(struct server *server)
{
	shutdown(server->fd, SHUT_RDWR); /* if nobody came */
	server_join(server);
}

/* ------------------------------------------------------------------------ */
/* tcp                                                                      */

static void tcp_config(struct probe_config *config, uint16_t port)
{
	probe_config_init(config);
	config->type = PROBE_TYPE_TCP;
	config->port = port;
}

static void test_tcp_passes(void **state)
{
	struct probe_config config;
	struct checked c;
	uint16_t port;
	int fd = listener(&port);

	tcp_config(&config, port);
	/* Again and again by the same check. */
	for (int i = 0; i < 3; i++) {
		run(&c, &probe_type_tcp, &config);
		assert_int_equal(c.result, PROBE_PASS);
		assert_string_equal(c.detail, "");
		assert_true(c.rtt_us < WAIT_S * INT64_C(1000000));
	}
	close(fd);
}

static void test_tcp_refused(void **state)
{
	struct probe_config config;
	struct checked c;
	uint16_t port;

	close(listener(&port));
	tcp_config(&config, port);
	run(&c, &probe_type_tcp, &config);
	assert_int_equal(c.result, PROBE_REFUSED);
	assert_string_equal(c.detail, "Connection refused");
}

static void test_tcp_source_that_is_not_ours(void **state)
{
	struct probe_config config;
	struct checked c;

	tcp_config(&config, 80);
	config.source = addr("192.0.2.77");
	run(&c, &probe_type_tcp, &config);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail,
			    "source 192.0.2.77: Cannot assign requested address");
}

/* A full backlog answers nothing. */
static void test_tcp_cancel(void **state)
{
	struct probe_config config;
	struct checked fill[16];
	struct checked c;
	uint16_t port;
	int fd = listener(&port);
	size_t n_fill;

	assert_int_equal(listen(fd, 0), 0);
	tcp_config(&config, port);
	for (n_fill = 0; n_fill < array_size(fill); n_fill++)
		start(&fill[n_fill], &probe_type_tcp, &config);
	start(&c, &probe_type_tcp, &config);
	for (size_t i = 0; i < n_fill; i++)
		if (!fill[i].done)
			probe_type_tcp.cancel(&fill[i].check);
	if (!c.done) {
		probe_type_tcp.cancel(&c.check);
		assert_null(c.check.state);
		assert_false(c.done);
	}
	close(fd);
}

/* ------------------------------------------------------------------------ */
/* http                                                                     */

static void http_config(struct probe_config *config, uint16_t port)
{
	probe_config_init(config);
	config->type = PROBE_TYPE_HTTP;
	config->port = port;
}

static void http_run(struct checked *c, struct server *server,
		     const char *answer, int times, enum finish finish)
{
	struct probe_config config;

	server_start(server, answer, times, finish);
	http_config(&config, server->port);
	run(c, &probe_type_http, &config);
	server_end(server);
}

static void test_http_status(void **state)
{
	static const struct {
		int status;
		enum probe_result result;
	} cases[] = {
		{ 200, PROBE_PASS },	 { 204, PROBE_PASS },
		{ 302, PROBE_PASS },	 { 399, PROBE_PASS },
		{ 400, PROBE_RESPONSE }, { 404, PROBE_RESPONSE },
		{ 500, PROBE_RESPONSE }, { 503, PROBE_RESPONSE },
	};
	struct server server;
	struct checked c;
	char answer[128];
	char detail[32];

	for (size_t i = 0; i < array_size(cases); i++) {
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 %d X\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
			 cases[i].status);
		http_run(&c, &server, answer, 1, FINISH_CLOSE);
		snprintf(detail, sizeof(detail), "HTTP status %d",
			 cases[i].status);
		assert_string_equal(c.detail, detail);
		assert_int_equal(c.result, cases[i].result);
	}
}

static void test_http_request(void **state)
{
	struct probe_config config;
	struct server server;
	struct checked c;

	server_start(&server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1,
		     FINISH_CLOSE);
	http_config(&config, server.port);
	config.path = "/a/../b?q=%20";
	config.host = "www.example.com";
	run(&c, &probe_type_http, &config);
	server_end(&server);
	assert_int_equal(c.result, PROBE_PASS);
	assert_true(strncmp(server.request, "GET /a/../b?q=%20 HTTP/1.1\r\n",
			    28) == 0);
	assert_non_null(strstr(server.request, "\r\nHost: www.example.com:"));
	assert_non_null(
		strstr(server.request, "\r\nUser-Agent: frr-clusterd\r\n"));
}

/* Whatever the environment says: there is no proxy. */
static void test_http_no_proxy(void **state)
{
	struct server server;
	struct checked c;

	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	http_run(&c, &server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1,
		 FINISH_CLOSE);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
	assert_int_equal(c.result, PROBE_PASS);
}

static void test_http_bad_answers(void **state)
{
	struct server server;
	struct checked c;

	http_run(&c, &server, NULL, 0, FINISH_CLOSE);
	assert_int_equal(c.result, PROBE_RESPONSE);
	assert_string_equal(c.detail, "closed without an answer");

	http_run(&c, &server, NULL, 0, FINISH_RESET);
	assert_int_equal(c.result, PROBE_REFUSED);

	http_run(&c, &server, "\033[31mSSH-2.0-x\r\n", 1, FINISH_CLOSE);
	assert_int_equal(c.result, PROBE_RESPONSE);
	assert_null(strchr(c.detail, '\033'));

	http_run(&c, &server, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",
		 1, FINISH_CLOSE);
	assert_int_equal(c.result, PROBE_RESPONSE);
}

/* More than anybody wants to read: an answer all the same. */
static void test_http_body_is_bounded(void **state)
{
	static char answer[1024 * 1024];
	struct server server;
	struct checked c;
	int n;

	n = snprintf(answer, sizeof(answer),
		     "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n");
	memset(answer + n, 'x', sizeof(answer) - n - 1);
	answer[sizeof(answer) - 1] = '\0';
	http_run(&c, &server, answer, 1, FINISH_WAIT);
	assert_int_equal(c.result, PROBE_PASS);
	assert_string_equal(c.detail, "HTTP status 200");
}

static void test_http_refused(void **state)
{
	struct probe_config config;
	struct checked c;
	uint16_t port;

	close(listener(&port));
	http_config(&config, port);
	run(&c, &probe_type_http, &config);
	assert_int_equal(c.result, PROBE_REFUSED);
	assert_string_equal(c.detail, "Connection refused");
}

static void test_http_source_that_is_not_ours(void **state)
{
	struct probe_config config;
	struct checked c;

	http_config(&config, 80);
	config.source = addr("192.0.2.77");
	run(&c, &probe_type_http, &config);
	assert_int_equal(c.result, PROBE_LOCAL);
	assert_string_equal(c.detail,
			    "source 192.0.2.77: Cannot assign requested address");
}

static bool never;

/* The time is over: the connection is gone at once. */
static void test_http_cancel(void **state)
{
	struct probe_config config;
	struct server server;
	struct checked c;

	server_start(&server, "HTTP/1.1 200 OK\r\n", 1, FINISH_WAIT);
	http_config(&config, server.port);
	start(&c, &probe_type_http, &config);
	/* Into the answer, which doesn't end. */
	assert_false(loop_until(&never, 1));
	assert_false(c.done);
	probe_type_http.cancel(&c.check);
	assert_null(c.check.state);
	server_end(&server);
	assert_true(server.client_gone);
	assert_false(c.done);

	/* Before anything has happened. */
	start(&c, &probe_type_http, &config);
	probe_type_http.cancel(&c.check);
	assert_false(c.done);
}

/* ------------------------------------------------------------------------ */
/* What is sent and expected                                                */

static void test_tcp_dialog(void **state)
{
	static const struct {
		const char *answer;
		int times;
		enum finish finish;
		const char *regex;
		enum probe_result result;
		const char *detail;
	} cases[] = {
		{ "+PONG\r\n", 1, FINISH_WAIT, "^\\+PONG", PROBE_PASS, "" },
		{ "-ERR\r\n", 1, FINISH_CLOSE, "^\\+PONG", PROBE_RESPONSE,
		  "no match in 6 bytes, then closed" },
		{ "-ERR\r\n", 1000, FINISH_WAIT, "^\\+PONG", PROBE_RESPONSE,
		  "no match in 4096 bytes" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", 1, FINISH_WAIT,
		  "(a+)+$", PROBE_RESPONSE,
		  "expect regex takes too long on this answer" },
		{ NULL, 0, FINISH_WAIT, "", PROBE_PASS, "" },
	};
	struct probe_config config;
	struct server server;
	struct checked c;

	for (size_t i = 0; i < array_size(cases); i++) {
		server_start(&server, cases[i].answer, cases[i].times,
			     cases[i].finish);
		tcp_config(&config, server.port);
		config.send = "PING\\r\\n\\x21";
		config.expect_regex = cases[i].regex;
		run(&c, &probe_type_tcp, &config);
		server_join(&server);
		assert_string_equal(c.detail, cases[i].detail);
		assert_int_equal(c.result, cases[i].result);
		assert_string_equal(server.request, "PING\r\n!");
	}
}

static void test_tcp_dialog_cancel(void **state)
{
	struct probe_config config;
	struct server server;
	struct checked c;
	bool never = false;

	server_start(&server, "wait", 1, FINISH_WAIT);
	tcp_config(&config, server.port);
	config.send = "x";
	config.expect_regex = "more";
	start(&c, &probe_type_tcp, &config);
	assert_false(loop_until(&never, 1));
	assert_false(c.done);
	probe_type_tcp.cancel(&c.check);
	server_end(&server);
	assert_true(server.client_gone);
}

static void test_http_expectations(void **state)
{
	static const struct {
		const char *answer, *status, *regex;
		enum probe_result result;
		const char *detail;
	} cases[] = {
		{ "404 No", "200-299,404", "", PROBE_PASS, "HTTP status 404" },
		{ "302 No", "200-299", "", PROBE_RESPONSE, "HTTP status 302" },
		{ "200 OK", "", "all (is|was) well", PROBE_PASS,
		  "HTTP status 200" },
		{ "200 OK", "", "trouble", PROBE_RESPONSE,
		  "no match in 11 bytes of the body" },
		{ "500 No", "", "all is well", PROBE_RESPONSE,
		  "HTTP status 500" },
	};
	struct probe_config config;
	struct server server;
	struct checked c;
	char answer[128];

	for (size_t i = 0; i < array_size(cases); i++) {
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 %s\r\nContent-Length: 11\r\n\r\nall is well",
			 cases[i].answer);
		server_start(&server, answer, 1, FINISH_CLOSE);
		http_config(&config, server.port);
		config.expect_status = cases[i].status;
		config.expect_regex = cases[i].regex;
		run(&c, &probe_type_http, &config);
		server_end(&server);
		assert_string_equal(c.detail, cases[i].detail);
		assert_int_equal(c.result, cases[i].result);
	}
}

static void test_http_method(void **state)
{
	static const char *const words[] = { "GET / ", "HEAD / ", "OPTIONS / " };
	struct probe_config config;
	struct server server;
	struct checked c;

	for (int i = 0; i < PROBE_METHODS; i++) {
		server_start(&server,
			     "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1,
			     FINISH_CLOSE);
		http_config(&config, server.port);
		config.method = i;
		run(&c, &probe_type_http, &config);
		server_end(&server);
		assert_int_equal(c.result, PROBE_PASS);
		assert_memory_equal(server.request, words[i], strlen(words[i]));
	}
}

/* A server that answers HTTP/1.1 fails a probe with http2. */
static void test_http2_refused(void **state)
{
	struct probe_config config;
	struct server server;
	struct checked c;

	server_start(&server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1,
		     FINISH_CLOSE);
	http_config(&config, server.port);
	config.http2 = true;
	run(&c, &probe_type_http, &config);
	server_end(&server);
	/* As the answer, or the end of the connection behind it, comes first. */
	assert_true(c.result == PROBE_RESPONSE || c.result == PROBE_REFUSED);
	assert_memory_equal(server.request, "PRI * HTTP/2.0", 14);
}

static int teardown(void **state)
{
	probe_type_http.fini();
	return loop_teardown(state);
}

/* Not the target's fault: whoever owns the check starts it again. */
static void test_no_descriptor(void **state)
{
	struct rlimit limit, none;
	struct probe_config config;
	struct checked tcp, http;

	/* libcurl is set up, and keeps what it needs. */
	http_config(&config, 80);
	config.source = addr("192.0.2.77");
	run(&http, &probe_type_http, &config);
	assert_int_equal(http.unsent, EADDRNOTAVAIL);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = dup(0); /* the first that is free */
	close(none.rlim_cur);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	http_config(&config, 80);
	run(&http, &probe_type_http, &config);
	tcp_config(&config, 80);
	run(&tcp, &probe_type_tcp, &config);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(tcp.unsent, EMFILE);
	assert_string_equal(tcp.detail,
			    "socket in VRF default: Too many open files");
	assert_int_equal(http.unsent, EMFILE);
	assert_string_equal(http.detail,
			    "socket in VRF default: Too many open files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp_passes),
		cmocka_unit_test(test_tcp_refused),
		cmocka_unit_test(test_tcp_source_that_is_not_ours),
		cmocka_unit_test(test_tcp_cancel),
		cmocka_unit_test(test_http_status),
		cmocka_unit_test(test_http_request),
		cmocka_unit_test(test_http_no_proxy),
		cmocka_unit_test(test_http_bad_answers),
		cmocka_unit_test(test_http_body_is_bounded),
		cmocka_unit_test(test_http_refused),
		cmocka_unit_test(test_http_source_that_is_not_ours),
		cmocka_unit_test(test_http_cancel),
		cmocka_unit_test(test_tcp_dialog),
		cmocka_unit_test(test_tcp_dialog_cancel),
		cmocka_unit_test(test_http_expectations),
		cmocka_unit_test(test_http_method),
		cmocka_unit_test(test_http2_refused),
		cmocka_unit_test(test_no_descriptor),
	};

	return cmocka_run_group_tests(tests, loop_setup, teardown);
}
