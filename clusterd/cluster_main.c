// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clusterd: start-up, options, signals.
 *
 * Parts, each knowing only those before it:
 *   core/     scheduler of decisions, zebra client, watchdog, control protocol
 *   probe/    health probes
 *   track/    tracked routes: next hops that follow probes
 *   vip/      VIPs: routes that follow the probes
 *   responder/ virtual addresses that answer a ping
 *   hubcluster/ gateways, hubs and edges of hub clusters
 * doc/developer/architecture.rst shows how data flows between them.
 */
#include "cluster_compat.h"

#include <getopt.h>

#include "filter.h"
#include "keychain.h"
#include "lib/version.h"
#include "module.h"
#include "sigevent.h"
#include "vty.h"

#include "cluster_debug.h"
#include "cluster_errors.h"
#include "cluster_later.h"
#include "cluster_nb.h"
#include "cluster_vty.h"
#include "clusterd.h"
#include "core/cluster_event.h"
#include "core/cluster_sched.h"
#include "core/cluster_zebra.h"
#include "core/config_reading.h"
#include "core/ctl_daemon.h"
#include "core/ctl_idfile.h"
#include "core/local_netlink.h"
#include "core/metrics.h"
#include "core/watchdog.h"
#include "hubcluster/hc_daemon.h"
#include "probe/probe.h"
#include "responder/responder.h"
#include "track/track.h"
#include "vip/vip.h"

/* FRR's own daemons end at 2624 (pathd 2621, ...); IANA has none here. */
#define CLUSTERD_VTY_PORT 2690

DEFINE_MGROUP(CLUSTERD, "clusterd");

/*
 * NET_RAW: raw ICMP sockets, SO_BINDTODEVICE; NET_ADMIN: marks and routes;
 * SYS_ADMIN: sockets in a VRF that is a network namespace; SETID: commands of
 * probes as another user.
 */
static zebra_capabilities_t capabilities[] = {
	ZCAP_NET_RAW,
	ZCAP_NET_ADMIN,
	ZCAP_SYS_ADMIN,
	ZCAP_SETID,
};

struct zebra_privs_t cluster_privs = {
#if defined(FRR_USER) && defined(FRR_GROUP)
	.user = FRR_USER,
	.group = FRR_GROUP,
#endif
#ifdef VTY_GROUP
	.vty_group = VTY_GROUP,
#endif
	.caps_p = capabilities,
	.cap_num_p = array_size(capabilities),
	.cap_num_i = 0,
};

struct event_loop *cluster_master;

static struct frr_daemon_info clusterd_di;

static void sighup(void)
{
	/* With an integrated frr.conf there is no file of our own. */
	if (!clusterd_di.config_file) {
		zlog_info(
			"SIGHUP: no configuration file of our own; use `vtysh -b` or frr-reload");
		return;
	}
	zlog_info("SIGHUP: reading %s", clusterd_di.config_file);
	vty_read_config(NULL, clusterd_di.config_file, NULL);
}

static void terminate_now(void)
{
	hcd_stop();
	track_fini();
	metrics_fini();
	responder_fini();
	vip_fini();
	cluster_later_fini();
	probe_fini();
	control_fini();
	track_fini_sessions();
	hcd_fini();
	keychain_terminate();
	cluster_zebra_fini();
	cluster_event_fini();
	config_reading_stop();
	cluster_sched_fini();
	watchdog_stop();
	local_netlink_fini();
	/* A vty that is closed commits what a file had so far: to whom? */
	nb_config_replace(vty_shared_candidate_config, running_config, true);
	frr_fini();
	exit(0);
}

static void terminate(void)
{
	zlog_notice("Terminating on signal");
	/* Draining and holding take their time, and are over when they say so. */
	if (!vip_exit(terminate_now))
		terminate_now();
}

static void sigusr1(void)
{
	zlog_rotate();
}

static struct frr_signal_t signals[] = {
	{ .signal = SIGHUP, .handler = &sighup },
	{ .signal = SIGUSR1, .handler = &sigusr1 },
	{ .signal = SIGINT, .handler = &terminate },
	{ .signal = SIGTERM, .handler = &terminate },
};

static const struct frr_yang_module_info *const cluster_modules[] = {
	&frr_filter_info,
	&frr_interface_info,
	&frr_vrf_info,
	CLUSTER_KEYCHAIN_MODULES &frr_clusterd_bgp_info,
	&frr_clusterd_control_info,
	&frr_clusterd_hub_info,
	&frr_clusterd_info,
	&frr_clusterd_metrics_info,
	&frr_clusterd_probe_info,
	&frr_clusterd_responder_info,
	&frr_clusterd_track_info,
	&frr_clusterd_vip_info,
};

FRR_DAEMON_INFO(clusterd, CLUSTER, .vty_port = CLUSTERD_VTY_PORT,
		.proghelp = "Announces VIPs while the services behind them are healthy.",
		.signals = signals, .n_signals = array_size(signals),
		.privs = &cluster_privs, .yang_modules = cluster_modules,
		.n_yang_modules = array_size(cluster_modules),
);

enum {
	OPT_ROUTE_TYPE = 2000,
	OPT_WATCHDOG,
	OPT_ID_DIR,
};

static const struct option long_options[] = {
	{ "route-type", required_argument, NULL, OPT_ROUTE_TYPE },
	{ "watchdog", required_argument, NULL, OPT_WATCHDOG },
	{ "id-dir", required_argument, NULL, OPT_ID_DIR },
	{ 0 },
};

static const char options_help[] =
	"      --route-type   Route type that zebra and bgpd know our routes by:\n"
	"                     openfabric (default), babel or nhrp\n"
	"      --watchdog     Milliseconds without a sign of life after which\n"
	"                     clusterd is killed and its routes go (default 5000,\n"
	"                     500-600000; 0: off)\n"
	"      --id-dir       Folder of the file that keeps this node's logical ID\n"
	"                     (default " CTL_ID_DIR ")\n";

/*
 * libfrr has no ABI that is kept between versions: structures differ, and what
 * happens then is anything.
 */
static void libfrr_version_check(void)
{
	for (const struct frrmod_runtime *module = frrmod_list; module;
	     module = module->next) {
		if (!module->info || strcmp(module->info->name, "libfrr") != 0)
			continue;
		if (strcmp(module->info->version, FRR_VERSION) == 0)
			return;
		fprintf(stderr,
			"clusterd was built for FRR %s, but libfrr here is %s: install the frr-clusterd package that belongs to this FRR, or build it again\n",
			FRR_VERSION, module->info->version);
		exit(1);
	}
}

static uint32_t parse_watchdog(const char *arg)
{
	char *end;
	unsigned long ms = strtoul(arg, &end, 10);

	if (end == arg || *end ||
	    (ms && (ms < WATCHDOG_MIN_MS || ms > WATCHDOG_MAX_MS))) {
		fprintf(stderr,
			"--watchdog %s: give milliseconds from %d to %d, or 0 for none\n",
			arg, WATCHDOG_MIN_MS, WATCHDOG_MAX_MS);
		exit(1);
	}
	return ms;
}

int main(int argc, char **argv)
{
	uint32_t watchdog_ms = WATCHDOG_DEFAULT_MS;
	const char *id_dir = CTL_ID_DIR;
	int opt;

	libfrr_version_check();
	frr_preinit(&clusterd_di, argc, argv);
	frr_opt_add("", long_options, options_help);
	while ((opt = frr_getopt(argc, argv, NULL)) != EOF) {
		switch (opt) {
		case 0:
			break;
		case OPT_ROUTE_TYPE:
			if (cluster_zebra_route_type_set(optarg))
				break;
			fprintf(stderr,
				"--route-type %s: use openfabric, babel or nhrp\n",
				optarg);
			exit(1);
		case OPT_WATCHDOG:
			watchdog_ms = parse_watchdog(optarg);
			break;
		case OPT_ID_DIR:
			id_dir = optarg;
			break;
		default:
			frr_help_exit(1);
		}
	}

	/* Still root, if we were started so. */
	ctl_idfile_prepare(id_dir, cluster_privs.user);
	cluster_master = frr_init();
	if (clusterd_di.config_file) {
		config_reading_has_all();
		zlog_warn("-f %s: a daemon's own file is loaded line by line and takes long with many sections; an integrated frr.conf (vtysh -b) doesn't",
			  clusterd_di.config_file);
	}
	cluster_error_init();
	cluster_debug_init();
	cluster_vty_init();
	cluster_summary_init();
	cluster_event_init();
	cluster_nb_init();
	cluster_zebra_init();
	local_netlink_init();
	keychain_init();
	control_init(id_dir);
	probe_init();
	vip_init();
	responder_init(clusterd_di.pathspace);
	track_init();
	hcd_init();

	metrics_init();
	cluster_metrics_init();

	frr_config_fork();
	watchdog_start(watchdog_ms);
	frr_run(cluster_master);
	return 0;
}
