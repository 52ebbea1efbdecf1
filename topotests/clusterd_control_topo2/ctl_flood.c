// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctl_flood FILE TARGET PEER COUNT SECONDS: what somebody without a key can
 * send, as fast as it goes.
 *
 * FILE holds datagrams, each after two octets of its length.  COUNT copies of
 * them, damaged, go to TARGET port 8484; a third each from this host, from
 * PEER's address and port (so by the address they could be of its session),
 * and from addresses that don't exist.  Damage: a few octets or one bit, or
 * the end cut off.  It ends after SECONDS at the latest, and prints how many
 * were sent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define PORT  8484
#define BATCH 64
#define KEPT  256
#define MOST  1232

struct packet {
	struct iphdr ip;
	struct udphdr udp;
	uint8_t data[MOST];
} __attribute__((packed));

static struct {
	size_t len;
	uint8_t data[MOST];
} kept[KEPT];
static size_t n_kept;

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static void read_file(const char *name)
{
	FILE *file = fopen(name, "r");
	uint8_t len[2];

	if (!file)
		err(1, "%s", name);
	while (n_kept < KEPT && fread(len, 2, 1, file) == 1) {
		kept[n_kept].len = (size_t)(len[0] << 8 | len[1]);
		if (kept[n_kept].len > MOST ||
		    fread(kept[n_kept].data, kept[n_kept].len, 1, file) != 1)
			errx(1, "%s: no datagram", name);
		n_kept++;
	}
	if (!n_kept)
		errx(1, "%s: empty", name);
	fclose(file);
}

/* Returns the length; never what it was. */
static size_t damage(uint8_t *data, size_t len)
{
	uint32_t way = random32();
	size_t at = random32() % len;
	uint8_t last;

	switch (way % 8) {
	case 0:
		return at;
	case 1 ... 4:
		data[at] ^= 1 << (way >> 8) % 8;
		return len;
	default:
		last = data[len - 1];
		for (uint32_t n = 1 + (way >> 8) % 8; n; n--)
			data[random32() % len] = (uint8_t)random32();
		/* Whatever that made of it, this octet is another. */
		data[len - 1] = last ^ 0x55;
		return len;
	}
}

static void make(struct packet *packet, struct iovec *iov, uint32_t target,
		 uint32_t peer)
{
	size_t which = random32() % n_kept, len;

	memcpy(packet->data, kept[which].data, kept[which].len);
	len = damage(packet->data, kept[which].len);
	memset(packet, 0, sizeof(packet->ip) + sizeof(packet->udp));
	packet->ip.version = 4;
	packet->ip.ihl = 5;
	packet->ip.ttl = 64;
	packet->ip.protocol = IPPROTO_UDP;
	packet->ip.daddr = target;
	packet->udp.source = htons(PORT);
	switch (random32() % 3) {
	case 0: /* the kernel puts our own in */
		packet->udp.source = htons(1024 + random32() % 60000);
		break;
	case 1:
		packet->ip.saddr = peer;
		break;
	default:
		packet->ip.saddr = htonl(0xc6120000 | random32() % 0x20000);
	}
	packet->udp.dest = htons(PORT);
	packet->udp.len = htons((uint16_t)(sizeof(packet->udp) + len));
	iov->iov_base = packet;
	iov->iov_len = sizeof(packet->ip) + sizeof(packet->udp) + len;
	packet->ip.tot_len = htons((uint16_t)iov->iov_len);
}

int main(int argc, char **argv)
{
	static struct packet packets[BATCH];
	static struct mmsghdr msgs[BATCH];
	static struct iovec iovs[BATCH];
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timespec now;
	struct in_addr peer;
	long count, sent = 0;
	time_t end;
	int fd;

	if (argc != 6 || !inet_aton(argv[2], &to.sin_addr) ||
	    !inet_aton(argv[3], &peer))
		errx(1, "usage: ctl_flood FILE TARGET PEER COUNT SECONDS");
	read_file(argv[1]);
	count = strtol(argv[4], NULL, 10);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + strtol(argv[5], NULL, 10);
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (fd < 0)
		err(1, "socket");
	while (sent < count && now.tv_sec < end) {
		int n;

		for (int i = 0; i < BATCH; i++) {
			make(&packets[i], &iovs[i], to.sin_addr.s_addr,
			     peer.s_addr);
			msgs[i].msg_hdr = (struct msghdr){
				.msg_name = &to,
				.msg_namelen = sizeof(to),
				.msg_iov = &iovs[i],
				.msg_iovlen = 1,
			};
		}
		n = sendmmsg(fd, msgs, BATCH, 0);
		if (n > 0)
			sent += n;
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	printf("%ld\n", sent);
	return 0;
}
