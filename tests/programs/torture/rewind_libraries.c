// What libc loads by itself, without dlopen: character sets, name services, the unwinder of C.
#define _GNU_SOURCE
#include <execinfo.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "pristine.h"

static int converted, frames;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void convert(const char* from) {
  char in[] = "plain", out[64];
  char *from_at = in, *to_at = out;
  size_t left = 5, room = sizeof out;
  const iconv_t converter = iconv_open("UTF-16LE", from);
  if (converter == (iconv_t)-1) return;  // not installed
  MUST(iconv(converter, &from_at, &left, &to_at, &room) == 0 && room == sizeof out - 10);
  converted++;
}

static void* work(void* number) {
  pthread_mutex_lock(&lock);
  convert(number ? "ISO-8859-15" : "UTF-8");
  pthread_mutex_unlock(&lock);
  if (number) pthread_exit(NULL);  // unwinds: loads libgcc_s
  void* addresses[20];
  MUST((frames = backtrace(addresses, 20)) > 0);
  return NULL;
}

int main(void) {
  PRISTINE(converted == 0 && frames == 0);
  in_threads(2, work);
  getpwuid(getuid());
  setpwent();
  MUST(gethostbyname("127.0.0.1") != NULL);
  MUST(getservbyname("no such service", "tcp") == NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
