dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl CLUSTERD_COMPILER: the flags that FRR's headers need, warnings, sanitizers,
dnl and whether fuzz targets can be built.  CFLAGS, CPPFLAGS and LDFLAGS stay the
dnl caller's (dpkg-buildflags' hardening).
dnl
dnl Sets CLUSTERD_CFLAGS, CLUSTERD_WARNINGS, CLUSTERD_LDFLAGS, CLUSTERD_SANITIZE;
dnl conditional FUZZ.
AC_DEFUN([CLUSTERD_COMPILER], [
AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors])])
AC_ARG_ENABLE([asan],
  [AS_HELP_STRING([--enable-asan], [build with the address and undefined-behaviour sanitizers])])

# -fms-extensions: FRR embeds structures that have a tag.
CLUSTERD_CFLAGS="-std=gnu11 -fms-extensions -fno-omit-frame-pointer -funwind-tables"
CLUSTERD_LDFLAGS="-Wl,-rpath,$FRR_LIBDIR -Wl,-z,relro -Wl,-z,now"
# The -Wno-... come from FRR's headers and macros; our node numbers are an enum
# of their own that FRR's macros take for an enum node_type.
CLUSTERD_WARNINGS="-Wall -Wextra -Wmissing-prototypes -Wmissing-declarations -Wno-unused-parameter -Wno-missing-field-initializers -Wno-enum-conversion"

clusterd_save_CFLAGS=$CFLAGS
AC_MSG_CHECKING([whether $CC is clang])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __clang__
#error not clang
#endif
]])], [have_clang=yes], [have_clang=no])
AC_MSG_RESULT([$have_clang])
dnl clang warns about the very extension that -fms-extensions asks for.
AS_IF([test "$have_clang" = yes],
  [CLUSTERD_WARNINGS="$CLUSTERD_WARNINGS -Wno-microsoft-anon-tag"])

have_fuzzer=no
AS_IF([test "$have_clang" = yes],
  [AC_MSG_CHECKING([for libFuzzer])
  CFLAGS="-fsanitize=fuzzer"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return 0;
}
]])], [have_fuzzer=yes])
  CFLAGS=$clusterd_save_CFLAGS
  AC_MSG_RESULT([$have_fuzzer])])
AM_CONDITIONAL([FUZZ], [test "$have_fuzzer" = yes])

AS_IF([test "$enable_werror" = yes], [CLUSTERD_WARNINGS="$CLUSTERD_WARNINGS -Werror"])
CLUSTERD_SANITIZE=
AS_IF([test "$enable_asan" = yes], [
  dnl FRR 10's xref.h puts no_sanitize on a variable, which gcc ignores with a warning
  CLUSTERD_SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -Wno-attributes"])
AC_SUBST([CLUSTERD_CFLAGS])
AC_SUBST([CLUSTERD_WARNINGS])
AC_SUBST([CLUSTERD_LDFLAGS])
AC_SUBST([CLUSTERD_SANITIZE])
])
