// Locales of libc: the global one, one of a thread's own, and what they are loaded from.
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

#include <thread>

#include "pristine.h"

namespace {

void of_its_own() {
  PRISTINE(uselocale(nullptr) == LC_GLOBAL_LOCALE);
  locale_t mine = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  MUST(mine);
  uselocale(mine);
  wchar_t wide[8];
  MUST(mbstowcs(wide, "\xc3\xa9!", 8) == 2);
  char text[64];
  const tm day = {.tm_mday = 3, .tm_mon = 4, .tm_year = 100};
  MUST(strftime(text, sizeof text, "%A %d %B", &day) > 0);
  // Left in use, and never freed.
}

void global() {
  MUST(iswalpha(L'x'));
  char text[64];
  snprintf(text, sizeof text, "%.2f", 1.5);
  MUST(strcmp(text, "1.50") == 0);
}

}  // namespace

int main() {
  PRISTINE(strcmp(setlocale(LC_ALL, nullptr), "C") == 0);
  PRISTINE(uselocale(nullptr) == LC_GLOBAL_LOCALE);
  PRISTINE(strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") == 0);
  PRISTINE(MB_CUR_MAX == 1);
  MUST(setlocale(LC_ALL, ""));
  MUST(setlocale(LC_CTYPE, "C.UTF-8"));
  MUST(MB_CUR_MAX == 6 || MB_CUR_MAX == 4);
  std::thread a(of_its_own), b(of_its_own), c(global);
  a.join(), b.join(), c.join();
  mbstate_t state = {};
  wchar_t symbol;
  MUST(mbrtowc(&symbol, "\xc3", 1, &state) == static_cast<size_t>(-2));
  MUST(mbrtowc(&symbol, "\xc3", 1, nullptr) == static_cast<size_t>(-2));  // libc's own state
}

// SPDX-License-Identifier: Apache-2.0
