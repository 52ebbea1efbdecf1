# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Shared by the scripts in tools/ (source it, don't run it).
#
# A version of FRR ("V": 8.4, 10.3, 10.7) belongs to a release of Debian. The one of the machine itself is "native"; for
# the others there is a root in build/root/V, and a tool that is asked for such a V runs itself again inside that root.

set -euo pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$TOP/build

# What the caller's environment says about compilers and interpreters must not get into the builds.
unset CC CFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH PYTHONPATH MAKEFLAGS CDPATH
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PYTHON=/usr/bin/python3 PYTHONDONTWRITEBYTECODE=1

# Versions in the order of their tests; a failure on an optional one is reported, but not red.
FRR_VERSIONS=(8.4 10.3 10.7)
# shellcheck disable=SC2034 # for who sources this
FRR_OPTIONAL=10.7

die() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

say() {
	printf '%s\n' "$*" >&2
}

# step TEXT CMD...: CMD with its output in a log; prints TEXT and the seconds that it took, or the end of the log. TEXT is
# seen at once on a terminal; elsewhere steps at the same time would mix in a line.
step() {
	local text=$1 t0=$SECONDS rc=0 log
	shift
	log=$BUILD/log/$(printf '%s' "$text" | tr -cs 'A-Za-z0-9.\n' '-').log
	mkdir -p "$BUILD/log"
	[ ! -t 2 ] || printf '  %s ...\r' "$text" >&2
	set +e
	(
		set -e
		"$@"
	) </dev/null >"$log" 2>&1
	rc=$?
	set -e
	if [ $rc = 0 ]; then
		printf '  %-60s%5d s\n' "$text" $((SECONDS - t0)) >&2
		return 0
	fi
	printf '  %-60s FAILED\n' "$text" >&2
	tail -n 40 "$log" >&2
	die "$text failed, all of its output is in ${log#"$TOP"/}"
}

# suite_of V: the Debian release that has this FRR.
suite_of() {
	case $1 in
	8.4) echo bookworm ;;
	10.3) echo trixie ;;
	10.7) echo sid ;;
	*) die "no FRR version $1, there are: ${FRR_VERSIONS[*]}" ;;
	esac
}

# The version that this machine, or the root that we are in, has itself.
native_frr() {
	local codename
	if [ -n "${CLUSTER_ROOT:-}" ]; then
		echo "$CLUSTER_ROOT"
		return
	fi
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	case $codename in
	bookworm) echo 8.4 ;;
	trixie) echo 10.3 ;;
	*) die "this machine is no Debian 12 or 13 (its code name: '$codename')" ;;
	esac
}

# in_root V CMD...: CMD with build/root/V as its root and the checkout at its own path. A plain chroot is not enough:
# FRR 10's topotests unshare and mount. All mounts are private and end with CMD.
in_root() {
	local v=$1
	shift
	cp -L /etc/resolv.conf "$BUILD/root/$v/etc/resolv.conf"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private -- /bin/bash -ec '
		root=$1 top=$2 cwd=$3 v=$4
		shift 4
		mount --bind "$root" "$root"
		mkdir -p "$root$top" "$root/.old"
		mount --bind "$top" "$root$top"
		mount -t proc proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/run"
		mkdir -p "$root/run/lock"
		cd "$root"
		pivot_root . .old
		cd "$cwd" 2>/dev/null || cd "$top"
		umount -l /.old
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" \
			LC_ALL=C.UTF-8 CI="${CI:-}" FUZZ_SECONDS="${FUZZ_SECONDS:-}" FUZZ_SEED="${FUZZ_SEED:-}" \
			CLUSTER_ROOT="$v" "$@"
	' in_root "$BUILD/root/$v" "$TOP" "$PWD" "$v" "$@"
}

# hand_over V SCRIPT ARG...: where V is not native, make its root, run SCRIPT there instead of here, and exit.
hand_over() {
	local v=$1
	shift
	if [ "$v" = "$(native_frr)" ]; then
		return 0
	fi
	[ -z "${CLUSTER_ROOT:-}" ] || die "this is the root of FRR $CLUSTER_ROOT, run it for $v outside"
	make_root "$v"
	in_root "$v" "$@"
	exit
}

# lock NAME: the rest of this process has NAME for itself.
lock() {
	local fd
	mkdir -p "$BUILD"
	exec {fd}>"$BUILD/.lock-$1"
	flock -n "$fd" || {
		say "  waiting for another $1"
		flock "$fd"
	}
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need_packages PACKAGE...: install those that are missing. Nothing that they bring is started.
need_packages() {
	local p missing=()
	for p in "$@"; do
		installed "$p" || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] || die "not installed: ${missing[*]} (run as root, then I install them)"
	(
		lock apt
		step "${CLUSTER_ROOT:+$CLUSTER_ROOT: }apt-get install ${#missing[@]} packages" \
			apt_install "${missing[@]}"
	)
}

apt_install() {
	local policy=/usr/sbin/policy-rc.d

	# One that an interrupted run of ours left is ours to replace, any other one is kept.
	if [ ! -e $policy ] || grep -qs frr-clusterd $policy; then
		printf '#!/bin/sh\n# frr-clusterd: nothing starts during an installation\nexit 101\n' >$policy
		chmod 755 $policy
		trap 'rm -f /usr/sbin/policy-rc.d' EXIT
	fi
	# It fails with lists that are missing or name what is gone, and after an interrupted installation.
	apt-get install -y --no-install-recommends "$@" || {
		dpkg --configure -a
		apt-get update
		apt-get install -y --no-install-recommends "$@"
	}
}

# apt_uri CODENAME: where this machine takes that Debian release from.
apt_uri() {
	local uri
	# shellcheck disable=SC2016 # apt's own fields
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $1")
	[ -n "$uri" ] || {
		# the code name is known from the downloaded Release file only
		apt-get update >&2
		# shellcheck disable=SC2016
		uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $1")
	}
	printf '%s\n' "${uri%%$'\n'*}"
}

# make_root V: a minimal Debian in build/root/V. The stamp comes last, so that an interrupted one is made again.
make_root() {
	local v=$1
	[ ! -e "$BUILD/root/$v.ok" ] || return 0
	[ "$(id -u)" = 0 ] || die "a root for FRR $v can only be made by root"
	need_packages debootstrap debian-archive-keyring
	(
		lock "root-$v"
		[ ! -e "$BUILD/root/$v.ok" ] || exit 0
		step "$v: debootstrap $(suite_of "$v")" bootstrap "$v"
		touch "$BUILD/root/$v.ok"
	)
}

# debootstrap_with PACKAGE[,PACKAGE...] SUITE ROOT: a minimal Debian and these, by the mirrors of this machine.
debootstrap_with() {
	local packages=$1 suite=$2 root=$3 uri security
	uri=$(apt_uri "$(suite_of "$(native_frr)")")
	security=$(apt_uri "$(suite_of "$(native_frr)")-security")
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
	debootstrap --variant=minbase ${packages:+--include="$packages"} "$suite" "$root" "$uri"
	printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
	[ "$suite" = sid ] || [ -z "$security" ] ||
		echo "deb $security $suite-security main" >>"$root/etc/apt/sources.list"
	# proxies and the like, as this machine has them
	apt-config dump | grep -E '^Acquire::(https?|Check)' >"$root/etc/apt/apt.conf.d/50host" || true
}

bootstrap() {
	local v=$1 root=$BUILD/root/$1
	debootstrap_with '' "$(suite_of "$v")" "$root"
	# shellcheck disable=SC2016
	printf 'APT::Sandbox::User "root";\nDpkg::Options {"--force-unsafe-io";};\n' \
		>"$root/etc/apt/apt.conf.d/60quick"
	printf 'path-exclude /usr/share/%s/*\n' doc man locale >"$root/etc/dpkg/dpkg.cfg.d/60small"
	in_root "$v" apt-get update
}

# result PASS|FAIL|SKIP V KIND NAME [WHY]: the one line of a test's result, on standard output.
result() {
	printf '%s  %-5s%-10s %s%s\n' "$1" "$2" "$3" "$4" "${5:+: $5}"
}

# make_print FOLDER EXPRESSION: what the Makefile there makes of EXPRESSION, like '$(TESTS)'.
make_print() {
	# first, apart: what make says of a Makefile that it renews is no value
	make -s -C "$1" Makefile >&2
	printf 'include Makefile\nprint-it:\n\t@echo %s\n' "$2" | make -s -C "$1" -f - print-it
}
