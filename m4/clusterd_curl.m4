dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl CLUSTERD_CURL: find a libcurl whose TLS works in one process with libfrr.
dnl
dnl libfrr exports SHA256_Init, _Update and _Final of its own, with a context of
dnl another layout.  The dynamic linker gives them to OpenSSL too, and every TLS
dnl handshake fails ("bad signature").  So: libcurl's GnuTLS flavour, which
dnl Debian has beside the other (same headers, same ABI).
dnl
dnl Sets LIBCURL_CFLAGS, LIBCURL_LIBS.  After CLUSTERD_FRR.
AC_DEFUN([CLUSTERD_CURL], [
dnl 7.85: CURLOPT_PROTOCOLS_STR
PKG_CHECK_MODULES([LIBCURL], [libcurl >= 7.85.0])
AC_MSG_CHECKING([for a libcurl that gets along with libfrr])
clusterd_curl=
for d in "/usr/lib/`$CC -print-multiarch 2>/dev/null`" "${FRR_LIBDIR%/frr}" /usr/lib64 /usr/lib; do
  AS_IF([test -z "$clusterd_curl" && test -f "$d/libcurl-gnutls.so.4"],
    [clusterd_curl=$d/libcurl-gnutls.so.4])
done
AS_IF([test -n "$clusterd_curl"],
    [LIBCURL_LIBS=$clusterd_curl
    AC_MSG_RESULT([$clusterd_curl])],
  [LC_ALL=C $GREP -a -q SHA256_Init "$FRR_LIBFRR"],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([libfrr's SHA256 functions would take the place of OpenSSL's in libcurl;
    install libcurl's GnuTLS flavour (Debian: libcurl4-gnutls-dev)])],
  [AC_MSG_RESULT([$LIBCURL_LIBS])])
AC_SUBST([LIBCURL_LIBS])
])
