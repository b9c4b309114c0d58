// What the system tells a process about itself, and random numbers by all ways: equal bytes in
// every run. Process ids are not printed; they stay the kernel's.
#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

static void print(const char* what, const void* bytes, int count) {
  std::printf("%s", what);
  for (int i = 0; i < count; ++i) std::printf(" %02x", static_cast<const unsigned char*>(bytes)[i]);
  std::printf("\n");
}

static void figures(char who) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  tms ticks{};
  const clock_t now = times(&ticks);
  unsigned cpu = 7, node = 7;
  getcpu(&cpu, &node);
  std::printf("%c: cpu %d %u %u, used %ld.%06ld, faults %ld, switches %ld, ticks %ld %ld\n", who,
              sched_getcpu(), cpu, node, static_cast<long>(usage.ru_utime.tv_sec),
              static_cast<long>(usage.ru_utime.tv_usec), usage.ru_minflt, usage.ru_nivcsw,
              static_cast<long>(now), static_cast<long>(ticks.tms_utime));
}

int main() {
  unsigned char bytes[16];
  print("auxv", reinterpret_cast<void*>(getauxval(AT_RANDOM)), 16);
  if (getrandom(bytes, sizeof bytes, 0) == sizeof bytes) print("getrandom", bytes, 16);
  const int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, bytes, sizeof bytes) == sizeof bytes) print("urandom", bytes, 16);
  close(fd);
  std::ifstream stream("/dev/urandom", std::ios::binary);
  stream.rdbuf()->pubsetbuf(nullptr, 0);
  stream.read(reinterpret_cast<char*>(bytes), 8);
  print("stream", bytes, 8);
  if (FILE* file = std::fopen("/dev/urandom", "rb")) {
    static unsigned char many[100'000];
    const size_t count = std::fread(many, 1, sizeof many, file);
    const int one = std::fgetc(file);
    std::printf("%zu %d ", count, one);
    print("C stream", many + sizeof many - 16, 16);
    std::fclose(file);
  }
  std::string name_of_its_own;
  std::ifstream("/proc/sys/kernel/random/uuid") >> name_of_its_own;
  std::printf("%s\n", name_of_its_own.c_str());
  char name[] = "/tmp/det_identity-XXXXXX";
  const int file = mkstemp(name);
  std::printf("%s\n", name);
  close(file);
  unlink(name);
  std::thread a(figures, 'a'), b(figures, 'b');
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
