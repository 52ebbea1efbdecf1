dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl CLUSTERD_FRR: find the prepared FRR source and the installed FRR, and refuse
dnl a pair that does not fit.
dnl
dnl Sets FRR_SRC, FRR_BUILD, FRR_VERSION, FRR_LIBDIR, FRR_LIBFRR, FRR_SBINDIR,
dnl FRR_CPPFLAGS; for vtysh FRR_VTYSH_DAEMONS, FRR_VTYSH_LIBS, FRR_VTYSH_SCAN
dnl (8.4: what extract.pl reads); conditional FRR_XREF (FRR >= 9: vtysh's commands come from the
dnl xref notes in the binaries; before: from the sources by extract.pl).
AC_DEFUN([CLUSTERD_FRR], [
AC_ARG_WITH([frr-src],
  [AS_HELP_STRING([--with-frr-src=DIR], [FRR source of the installed version])],
  [], [with_frr_src=])
AC_ARG_WITH([frr-build],
  [AS_HELP_STRING([--with-frr-build=DIR],
    [where that source was configured (default: the source folder)])],
  [], [with_frr_build=$with_frr_src])
AC_ARG_WITH([frr-libdir],
  [AS_HELP_STRING([--with-frr-libdir=DIR],
    [folder of the installed libfrr.so.0 (default: found)])],
  [], [with_frr_libdir=])
AC_ARG_WITH([frr-sbindir],
  [AS_HELP_STRING([--with-frr-sbindir=DIR],
    [folder of the installed FRR daemons (default: /usr/lib/frr)])],
  [], [with_frr_sbindir=/usr/lib/frr])

AS_IF([test -z "$with_frr_src"],
  [AC_MSG_ERROR([--with-frr-src=DIR is needed: the prepared source of the installed FRR])])
FRR_SRC=`cd "$with_frr_src" 2>/dev/null && pwd -P`
FRR_BUILD=`cd "$with_frr_build" 2>/dev/null && pwd -P`
AS_IF([test -z "$FRR_SRC" || test ! -f "$FRR_SRC/lib/zebra.h"],
  [AC_MSG_ERROR([no FRR source in '$with_frr_src'])])
AS_IF([test -z "$FRR_BUILD" || test ! -f "$FRR_BUILD/config.h"],
  [AC_MSG_ERROR([FRR is not configured in '$with_frr_build': no config.h there])])
AS_IF([test ! -x "$FRR_BUILD/lib/clippy" || test ! -f "$FRR_BUILD/lib/route_types.h"],
  [AC_MSG_ERROR([FRR's clippy and generated headers are missing; run
    make -C $FRR_BUILD lib/clippy lib/version.h lib/route_types.h])])

AC_MSG_CHECKING([for the version of the FRR source])
FRR_VERSION=`$SED -n 's/^#define PACKAGE_VERSION "\(.*\)"$/\1/p' "$FRR_BUILD/config.h"`
AC_MSG_RESULT([$FRR_VERSION])

AC_MSG_CHECKING([for the installed libfrr])
FRR_LIBDIR=
dnl not every clang can tell the folder's name
for d in "$with_frr_libdir" \
	"/usr/lib/`$CC -print-multiarch 2>/dev/null`/frr" /usr/lib64/frr /usr/lib/frr /usr/lib/*/frr; do
  AS_IF([test -z "$FRR_LIBDIR" && test -n "$d" && test -f "$d/libfrr.so.0"], [FRR_LIBDIR=$d])
done
AS_IF([test -z "$FRR_LIBDIR"],
  [AC_MSG_ERROR([no libfrr.so.0: install the package frr, or give --with-frr-libdir])])
FRR_LIBFRR=$FRR_LIBDIR/libfrr.so.0
FRR_SBINDIR=$with_frr_sbindir
AC_MSG_RESULT([$FRR_LIBFRR])

dnl libfrr says "Hello, this is FRRouting (version X)." to every vty.
AC_MSG_CHECKING([that the source fits the installed FRR])
frr_installed=`LC_ALL=C $GREP -a -o 'FRRouting (version [[^)]]*)' "$FRR_LIBFRR" |
  $SED -n '1s/^FRRouting (version \(.*\))$/\1/p'`
AS_IF([test -z "$frr_installed"],
  [AC_MSG_ERROR([cannot read the version of $FRR_LIBFRR])])
AS_IF([test "$frr_installed" != "$FRR_VERSION"],
  [AC_MSG_ERROR([the FRR source is $FRR_VERSION, the installed FRR is $frr_installed.
    libfrr has no stable interface: get and prepare the source of the installed
    version (apt-get source frr=VERSION), or install FRR $FRR_VERSION])])
dnl MULTIPATH_NUM sets the size of structures that cross into libfrr.
frr_multipath=`"$FRR_SBINDIR/zebra" --version 2>/dev/null |
  $SED -n "s/.*'--enable-multipath=\([[0-9]]*\)'.*/\1/p"`
frr_src_multipath=`$SED -n 's/^#define MULTIPATH_NUM \(.*\)$/\1/p' "$FRR_BUILD/config.h"`
AS_IF([test -n "$frr_multipath" && test "$frr_multipath" != "$frr_src_multipath"],
  [AC_MSG_ERROR([the FRR source was configured with --enable-multipath=$frr_src_multipath,
    the installed FRR with --enable-multipath=$frr_multipath: their structures differ;
    configure the FRR source with the package's flags])])
AC_MSG_RESULT([yes ($frr_installed)])

dnl A newer libyang than the FRR source knows is dealt with in the headers of
dnl the package frr-dev (patched by the distribution): they go first.
FRR_CPPFLAGS=
AS_IF([$PKG_CONFIG --exists frr && test "`$PKG_CONFIG --modversion frr`" = "$FRR_VERSION"],
  [FRR_CPPFLAGS=`$PKG_CONFIG --cflags-only-I frr`])
FRR_CPPFLAGS="$FRR_CPPFLAGS -I$FRR_BUILD -I$FRR_BUILD/lib -I$FRR_SRC -I$FRR_SRC/include -I$FRR_SRC/lib"
AS_IF([test -d "$FRR_SRC/lib/assert"], [FRR_CPPFLAGS="-I$FRR_SRC/lib/assert $FRR_CPPFLAGS"])

dnl FRR's own variables, from its Makefile: a copy under another name, or make
dnl would first bring FRR's Makefile up to date.
AC_MSG_CHECKING([how FRR builds vtysh])
AS_IF([test ! -f "$FRR_BUILD/Makefile"], [AC_MSG_ERROR([no Makefile in $FRR_BUILD])])
cp "$FRR_BUILD/Makefile" conftest.mk
cat >>conftest.mk <<\_EOF

clusterd-print: ; @:$(foreach v,$(V),$(info $(strip $($(v)))))
_EOF
frr_make_var() {
  ${MAKE-make} -s --no-print-directory -C "$FRR_BUILD" -f "`pwd`/conftest.mk" \
    clusterd-print V="$[1]" 2>&AS_MESSAGE_LOG_FD | tr '\n' ' '
}
FRR_VTYSH_DAEMONS=`frr_make_var vtysh_daemons`
FRR_VTYSH_LIBS=`frr_make_var "LIBREADLINE LIBPAM LIBCAP LIBS"`
FRR_VTYSH_SCAN=`frr_make_var "vtysh_scan HAVE_ISISD HAVE_FABRICD"`
rm -f conftest.mk
AS_CASE([$FRR_VTYSH_DAEMONS], [*zebra*], [],
  [AC_MSG_ERROR([cannot read the list of daemons from $FRR_BUILD/Makefile])])
AC_MSG_RESULT([$FRR_VTYSH_DAEMONS])
AC_SUBST([FRR_VTYSH_DAEMONS])
AC_SUBST([FRR_VTYSH_LIBS])
AC_SUBST([FRR_VTYSH_SCAN])

AM_CONDITIONAL([FRR_XREF], [test -f "$FRR_SRC/python/xref2vtysh.py"])
AC_SUBST([FRR_SRC])
AC_SUBST([FRR_BUILD])
AC_SUBST([FRR_VERSION])
AC_SUBST([FRR_LIBDIR])
AC_SUBST([FRR_LIBFRR])
AC_SUBST([FRR_SBINDIR])
AC_SUBST([FRR_CPPFLAGS])
])
