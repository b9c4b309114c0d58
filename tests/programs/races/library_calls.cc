// SPDX-License-Identifier: Apache-2.0
// One thread calls functions of libc, each with a buffer of its own, which another thread writes
// to: as many data races as there are calls, and with the argument "locked" none.
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <sstream>
#include <string>

// Where what a call returns goes: compilers keep calls whose result is used.
static volatile long used;
static void use(const void* p) { used = p != nullptr; }
static void use(long n) { used = n; }

static volatile double real = 1.5;  // known to no compiler

static FILE* file;
static int compare(const void* a, const void* b) {
  return *static_cast<const char*>(a) - *static_cast<const char*>(b);
}
static std::istringstream in(const char* text = "1234") { return std::istringstream(text); }
static int print(char* to, const char* format, ...) {
  va_list more;
  va_start(more, format);
  const int length = vsnprintf(to, 16, format, more);
  va_end(more);
  return length;
}

static const iovec* part(char* p) {
  static thread_local iovec part;
  part = {p, 6};
  return &part;
}

template <typename To>
To* as(char* buffer) {
  return reinterpret_cast<To*>(buffer);
}
static wchar_t* wide(char* buffer) { return as<wchar_t>(buffer); }

// Buffers are "abc1", 16 bytes after them "abc1" as wide characters, and "1" at the end.
struct alignas(8) Buffer {
  char text[16] = "abc1";
  wchar_t wide[8] = L"abc1";
  char number[8] = "1";
};

// name, whether it is the wide characters that are meant, the call with `p` and a local buffer
// `out`.
#define CALLS(CALL)                                                           \
  CALL(memchr, text, use(memchr(p, '1', 5)))                                  \
  CALL(memcmp, text, use(memcmp(p, "abc1", 4)))                               \
  CALL(memmem, text, use(memmem(p, 5, "c1", 2)))                              \
  CALL(memrchr, text, use(memrchr(p, 'a', 5)))                                \
  CALL(memccpy, text, use(memccpy(out, p, 0, 8)))                             \
  CALL(strlen, text, use(strlen(p)))                                          \
  CALL(strnlen, text, use(strnlen(p, 9)))                                     \
  CALL(strcmp, text, use(strcmp(p, "abc1")))                                  \
  CALL(strncmp, text, use(strncmp("abc1", p, 4)))                             \
  CALL(strcasecmp, text, use(strcasecmp(p, "ABC1")))                          \
  CALL(strncasecmp, text, use(strncasecmp(p, "ABC1", 4)))                     \
  CALL(strcoll, text, use(strcoll(p, "abc1")))                                \
  CALL(strverscmp, text, use(strverscmp(p, "abc1")))                          \
  CALL(strchr, text, use(strchr(p, '1')))                                     \
  CALL(strchrnul, text, use(strchrnul(p, '1')))                               \
  CALL(strrchr, text, use(strrchr(p, 'a')))                                   \
  CALL(strstr, text, use(strstr(p, "c1")))                                    \
  CALL(strcasestr, text, use(strcasestr(p, "C1")))                            \
  CALL(strpbrk, text, use(strpbrk(p, "123")))                                 \
  CALL(strspn, text, use(strspn(p, "abc")))                                   \
  CALL(strcspn, text, use(strcspn(p, "1")))                                   \
  CALL(strdup, text, (state = strdup(p), use(*state), free(state)))           \
  CALL(strndup, text, (state = strndup(p, 4), use(*state), free(state)))      \
  CALL(strcpy_from, text, use(strcpy(out, p)))                                \
  CALL(strcpy_to, text, use(strcpy(p, "defg")))                               \
  CALL(stpcpy_from, text, use(stpcpy(out, p)))                                \
  CALL(strncpy_from, text, use(strncpy(out, p, 5)))                           \
  CALL(strncpy_to, text, use(strncpy(p, "d", 9)))                             \
  CALL(stpncpy_to, text, use(stpncpy(p, "d", 9)))                             \
  CALL(strcat_from, text, use(strcat(out, p)))                                \
  CALL(strncat_to, text, use(strncat(p, "e", 1)))                             \
  CALL(strxfrm, text, use(strxfrm(out, p, 64)))                               \
  CALL(strtok_r, text, use(strtok_r(p, "1", &state)))                         \
  CALL(strsep, text, (state = p, use(strsep(&state, "1"))))                   \
  CALL(bcopy, text, bcopy("defg", p, 5))                                      \
  CALL(explicit_bzero, text, explicit_bzero(p, 9))                            \
  CALL(atoi, number, use(atoi(p)))                                            \
  CALL(atof, number, use(static_cast<long>(atof(p))))                         \
  CALL(strtol, number, use(strtol(p, nullptr, 10)))                           \
  CALL(strtoull, number, use(static_cast<long>(strtoull(p, &state, 16))))     \
  CALL(strtod, number, use(static_cast<long>(strtod(p, nullptr))))            \
  CALL(strtoimax, number, use(static_cast<long>(strtoimax(p, nullptr, 0))))   \
  CALL(stoi, number, use(std::stoi(p)))                                       \
  CALL(snprintf_from, text, use(snprintf(out, 60, "%5d %-8s|", 7, p)))        \
  CALL(snprintf_bounded, text, use(snprintf(out, 60, "%.*s", 4, p)))          \
  CALL(snprintf_to, text, use(snprintf(p, 16, "%d-%d", 1000, 7)))             \
  CALL(sprintf_to, text, use(sprintf(p, "defg")))                             \
  CALL(sprintf_counts, text, use(sprintf(out, "%s%hhn", "abc", p + 3)))       \
  CALL(vsnprintf_to, text, use(print(p, "%08x", 5)))                          \
  CALL(asprintf, text, (use(asprintf(&state, "%f %s", 1.5, p)), free(state))) \
  CALL(sscanf_from, number, use(sscanf(p, "%d", &number)))                    \
  CALL(sscanf_word, text, use(sscanf("d defg", "%*s %9s", p)))                \
  CALL(sscanf_set, text, use(sscanf("defg!", "%[^!]", p)))                    \
  CALL(sscanf_number, text, use(sscanf("x7", "x%d", as<int>(p))))             \
  CALL(fprintf, text, use(fprintf(file, "%s", p)))                            \
  CALL(fputs, text, use(fputs(p, file)))                                      \
  CALL(fwrite, text, use(fwrite(p, 1, 5, file)))                              \
  CALL(dprintf, text, use(dprintf(fileno(file), "%s", p)))                    \
  CALL(fgets, text, (rewind(file), use(fgets(p, 6, file))))                   \
  CALL(fread, text, (rewind(file), use(fread(p, 1, 6, file))))                \
  CALL(fscanf, text, (rewind(file), use(fscanf(file, "%9s", p))))             \
  CALL(pread, text, use(pread(fileno(file), p, 6, 0)))                        \
  CALL(pwrite, text, use(pwrite(fileno(file), p, 6, 0)))                      \
  CALL(preadv, text, use(preadv(fileno(file), part(p), 1, 0)))                \
  CALL(pwritev, text, use(pwritev(fileno(file), part(p), 1, 0)))              \
  CALL(qsort, text, qsort(p, 4, 1, compare))                                  \
  CALL(rand_r, text, use(rand_r(as<unsigned>(p))))                            \
  CALL(nrand48, text, use(nrand48(as<unsigned short>(p))))                    \
  CALL(frexp, text, use(frexp(real, as<int>(p))))                             \
  CALL(modf, text, use(modf(real, as<double>(p))))                            \
  CALL(lgamma_r, text, use(lgamma_r(real, as<int>(p))))                       \
  CALL(remquo, text, use(remquo(real, 2, as<int>(p))))                        \
  CALL(sincos, text, sincos(real, as<double>(p), &cosine))                    \
  CALL(time, text, use(time(as<time_t>(p))))                                  \
  CALL(localtime_r, text, use(localtime_r(as<time_t>(p), &date)))             \
  CALL(strftime, text, use(strftime(p, 16, "%Y", &date)))                     \
  CALL(asctime_r, text, use(asctime_r(&date, p)))                             \
  CALL(inet_pton, text, use(inet_pton(AF_INET, "127.0.0.1", p)))              \
  CALL(inet_ntop, text, use(inet_ntop(AF_INET, p, out, 60)))                  \
  CALL(realpath, text, use(realpath("/proc", p)))                             \
  CALL(wcslen, wide, use(wcslen(wide(p))))                                    \
  CALL(wcscpy_to, wide, use(wcscpy(wide(p), L"defg")))                        \
  CALL(wcscmp, wide, use(wcscmp(wide(p), L"abc1")))                           \
  CALL(wcschr, wide, use(wcschr(wide(p), L'1')))                              \
  CALL(wmemset, wide, use(wmemset(wide(p), L'x', 4)))                         \
  CALL(wcstol, wide, use(wcstol(wide(p), nullptr, 16)))                       \
  CALL(swprintf_to, wide, use(swprintf(wide(p), 8, L"%d", 1234)))             \
  CALL(mbstowcs_to, wide, use(mbstowcs(wide(p), "defg", 5)))                  \
  CALL(wcstombs_from, wide, use(wcstombs(out, wide(p), 60)))                  \
  CALL(in_int, text, in() >> *as<int>(p))                                     \
  CALL(in_unsigned, text, in() >> *as<unsigned>(p))                           \
  CALL(in_long, text, in() >> *as<long>(p))                                   \
  CALL(in_unsigned_long_long, text, in() >> *as<unsigned long long>(p))       \
  CALL(in_short, text, in() >> *as<short>(p + 2))                             \
  CALL(in_bool, text, in("1") >> *as<bool>(p + 3))                            \
  CALL(in_float, text, in() >> *as<float>(p))                                 \
  CALL(in_double, text, in() >> *as<double>(p))                               \
  CALL(in_pointer, text, in() >> *as<void*>(p))                               \
  CALL(in_no_number, text, in("word") >> *as<int>(p))                         \
  CALL(in_char, text, in() >> p[3])                                           \
  CALL(in_wide_int, text, std::wistringstream(L"1234") >> *as<int>(p))        \
  CALL(in_wide_char, wide, std::wistringstream(L"1234") >> wide(p)[3])        \
  CALL(get_char, text, in().get(p[3]))                                        \
  CALL(get_text, text, in().get(p, 8))                                        \
  CALL(get_line, text, in().getline(p, 8))                                    \
  CALL(get_line_up_to, text, in().getline(p, 8, ';'))                         \
  CALL(read_block, text, in().read(p, 4))

// Compilers keep what others might read.
#define BUFFER(name, which, call) Buffer of_##name;
CALLS(BUFFER)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool locked;

static void* calls(void*) {
  char out[64] = "";
  char* state = nullptr;
  int number = 0;
  double cosine = 0;
  tm date = {};
  date.tm_year = 100;
  date.tm_mday = 1;
#define CALL(name, which, call)                         \
  if (locked) pthread_mutex_lock(&mutex);               \
  {                                                     \
    char* p = reinterpret_cast<char*>(of_##name.which); \
    call;                                               \
  }                                                     \
  if (locked) pthread_mutex_unlock(&mutex);
  CALLS(CALL)
  use(out);
  use(state);
  use(number);
  use(static_cast<long>(cosine));
  return nullptr;
}

static void* writes(void*) {
#define WRITE(name, which, call)          \
  if (locked) pthread_mutex_lock(&mutex); \
  of_##name.text[3] = '2';                \
  of_##name.wide[3] = L'2';               \
  of_##name.number[0] = '2';              \
  if (locked) pthread_mutex_unlock(&mutex);
  CALLS(WRITE)
  return nullptr;
}

int main(int argc, char**) {
  locked = argc > 1;
  file = tmpfile();
  fputs("1234 6789\n", file);
  fflush(file);
  pthread_t caller, writer;
  pthread_create(&caller, nullptr, calls, nullptr);
  pthread_create(&writer, nullptr, writes, nullptr);
  pthread_join(caller, nullptr);
  pthread_join(writer, nullptr);
}
