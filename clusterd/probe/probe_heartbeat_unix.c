// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster_compat.h"

#include <sys/un.h>

#include "probe/probe_heartbeat_unix.h"

static socklen_t address_of(struct sockaddr_un *sun, const char *path)
{
	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	strlcpy(sun->sun_path, path, sizeof(sun->sun_path));
	return sizeof(*sun);
}

static int socket_new(char *why, size_t why_len)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		snprintf(why, why_len, "socket: %s", safe_strerror(errno));
	return fd;
}

/* Somebody has bound it: only ECONNREFUSED says that he is gone. */
static bool listened(const char *path, char *why, size_t why_len)
{
	struct sockaddr_un sun;
	socklen_t len = address_of(&sun, path);
	int fd = socket_new(why, why_len);
	int err;

	if (fd < 0)
		return true;
	err = connect(fd, (struct sockaddr *)&sun, len) < 0 ? errno : 0;
	close(fd);
	if (err == ECONNREFUSED)
		return false;
	if (err)
		snprintf(why, why_len, "%s: %s", path, safe_strerror(err));
	else
		snprintf(why, why_len, "somebody else listens at %s", path);
	return true;
}

/* Makes room for the socket's file. */
static bool leftover_remove(const char *path, char *why, size_t why_len)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return true; /* if it isn't ENOENT bind() will say it */
	if (!S_ISSOCK(st.st_mode)) {
		snprintf(why, why_len, "%s is there and is no socket", path);
		return false;
	}
	if (listened(path, why, why_len))
		return false;
	(void)unlink(path);
	return true;
}

bool probe_heartbeat_unix_open(struct probe_heartbeat_unix *sock,
			       const char *path, char *why, size_t why_len)
{
	struct sockaddr_un sun;
	socklen_t len = address_of(&sun, path);
	struct stat st;

	sock->path = path;
	sock->fd = -1;
	if (!leftover_remove(path, why, why_len))
		return false;
	sock->fd = socket_new(why, why_len);
	if (sock->fd < 0)
		return false;
	if (bind(sock->fd, (struct sockaddr *)&sun, len) < 0) {
		snprintf(why, why_len, "%s: %s", path, safe_strerror(errno));
	} else if (chmod(path, 0666) < 0 || lstat(path, &st) < 0) {
		/* FRR's umask keeps others out. */
		snprintf(why, why_len, "%s: %s", path, safe_strerror(errno));
		(void)unlink(path);
	} else {
		sock->dev = st.st_dev;
		sock->ino = st.st_ino;
		return true;
	}
	close(sock->fd);
	sock->fd = -1;
	return false;
}

bool probe_heartbeat_unix_there(const struct probe_heartbeat_unix *sock)
{
	struct stat st;

	return lstat(sock->path, &st) == 0 && st.st_dev == sock->dev &&
	       st.st_ino == sock->ino;
}

void probe_heartbeat_unix_close(struct probe_heartbeat_unix *sock)
{
	if (sock->fd < 0)
		return;
	if (probe_heartbeat_unix_there(sock))
		(void)unlink(sock->path);
	close(sock->fd);
	sock->fd = -1;
}
