// SPDX-License-Identifier: Apache-2.0
// Functions of libc that open something by themselves and keep it open: the next run must not find
// it there.
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <shadow.h>
#include <stdarg.h>
#include <syslog.h>
#include <utmpx.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/snapshot/kernel_state.h"

extern "C" {
void __vsyslog_chk(int priority, int flag, const char* format, va_list more);
void __syslog_chk(int priority, int flag, const char* format, ...);
}

using namespace jostle::rt;

#define KEEPS_OPEN(result, function, parameters, arguments) \
  JOSTLE_HOOK result function parameters {                  \
    kernel_changes(kOpensDescriptors);                      \
    return REAL(function) arguments;                        \
  }

KEEPS_OPEN(void, setpwent, (), ())
KEEPS_OPEN(passwd*, getpwent, (), ())
KEEPS_OPEN(int, getpwent_r, (passwd * entry, char* to, size_t size, passwd** found),
           (entry, to, size, found))
KEEPS_OPEN(void, setgrent, (), ())
KEEPS_OPEN(group*, getgrent, (), ())
KEEPS_OPEN(int, getgrent_r, (group * entry, char* to, size_t size, group** found),
           (entry, to, size, found))
KEEPS_OPEN(void, setspent, (), ())
KEEPS_OPEN(spwd*, getspent, (), ())
KEEPS_OPEN(void, sethostent, (int stays), (stays))
KEEPS_OPEN(hostent*, gethostent, (), ())
KEEPS_OPEN(void, setnetent, (int stays), (stays))
KEEPS_OPEN(netent*, getnetent, (), ())
KEEPS_OPEN(void, setprotoent, (int stays), (stays))
KEEPS_OPEN(protoent*, getprotoent, (), ())
KEEPS_OPEN(void, setservent, (int stays), (stays))
KEEPS_OPEN(servent*, getservent, (), ())
KEEPS_OPEN(void, setutxent, (), ())
KEEPS_OPEN(utmpx*, getutxent, (), ())
KEEPS_OPEN(void, openlog, (const char* name, int options, int facility), (name, options, facility))
KEEPS_OPEN(void, vsyslog, (int priority, const char* format, va_list more),
           (priority, format, more))

JOSTLE_HOOK void syslog(int priority, const char* format, ...) {
  kernel_changes(kOpensDescriptors);
  va_list more;
  va_start(more, format);
  REAL(vsyslog)(priority, format, more);
  va_end(more);
}
KEEPS_OPEN(void, __vsyslog_chk, (int priority, int flag, const char* format, va_list more),
           (priority, flag, format, more))
JOSTLE_HOOK void __syslog_chk(int priority, int flag, const char* format, ...) {
  kernel_changes(kOpensDescriptors);
  va_list more;
  va_start(more, format);
  REAL(__vsyslog_chk)(priority, flag, format, more);
  va_end(more);
}
