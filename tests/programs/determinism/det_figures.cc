// What the system tells of the machine, by all ways: equal bytes in every run, however busy others
// make it. Two readers beside each other, who take turns as the schedule says.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex turn;

static void say(char who, const std::string& what) {
  const std::lock_guard lock(turn);
  std::cout << who << ": " << what;
}

static void figures(char who) {
  for (const char* path : {"/proc/stat", "/proc/uptime", "/proc/loadavg"}) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    say(who, text.str());
  }
  char bytes[4096];
  const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t size = read(fd, bytes, sizeof bytes);
  const bool is_whole = size > 0 && read(fd, bytes, sizeof bytes) == 0;
  const bool is_written = write(fd, bytes, 1) == 1;
  close(fd);
  double loads[3] = {7, 7, 7};
  const int count = getloadavg(loads, 3);
  struct sysinfo info = {};
  sysinfo(&info);
  std::ostringstream line;
  line << size << ' ' << is_whole << is_written << ' ' << count << ' ' << loads[0] + loads[2] << ' '
       << info.uptime << ' ' << info.loads[0] << ' ' << info.freeram << ' ' << info.procs << '\n';
  say(who, line.str());
}

int main() {
  std::thread a(figures, 'a'), b(figures, 'b');
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
