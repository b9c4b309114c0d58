// What descriptors order: somebody writes a value, then does something that another one waits for
// by way of the kernel, who then touches the value.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

#include "scenario.h"

namespace {

long value;

// `tells` runs in a thread of its own, `waits` here.
template <typename Tells, typename Waits>
void in_order(Tells tells, Waits waits) {
  std::thread thread([tells] {
    value = 1;
    tells();
  });
  waits();
  value += 1;
  sink = value;
  thread.join();
}

void put(int fd) { sink = write(fd, "12345678", 8); }
void get(int fd) {
  char bytes[8];
  sink = read(fd, bytes, sizeof bytes);
}

// A socket of the loopback or a local one, bound to a free address.
struct Bound {
  int socket;
  union {
    sockaddr any;
    sockaddr_in network;
    sockaddr_un local;
  } address = {};
  socklen_t length = sizeof address;

  Bound(int family, int type) : socket(::socket(family, type, 0)) {
    address.any.sa_family = static_cast<sa_family_t>(family);
    const socklen_t given = family == AF_UNIX ? sizeof(sa_family_t) : sizeof(sockaddr_in);
    if (family == AF_INET) address.network.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sink = bind(socket, &address.any, given);
    getsockname(socket, &address.any, &length);
    if (type == SOCK_STREAM) listen(socket, 4);
  }
  ~Bound() { close(socket); }
};

void connect_and_accept(int family) {
  const Bound server(family, SOCK_STREAM);
  const int client = socket(family, SOCK_STREAM, 0);
  int accepted = -1;
  in_order([&] { connect(client, &server.address.any, server.length); },
           [&] { accepted = accept(server.socket, nullptr, nullptr); });
  close(accepted);
  close(client);
}

void datagram(int family, bool connected) {
  const Bound receiver(family, SOCK_DGRAM);
  const int sender = socket(family, SOCK_DGRAM, 0);
  if (connected) connect(sender, &receiver.address.any, receiver.length);
  in_order(
      [&] {
        if (connected) return put(sender);
        sendto(sender, "x", 1, 0, &receiver.address.any, receiver.length);
      },
      [&] { get(receiver.socket); });
  close(sender);
}

struct Pipe {
  int ends[2];
  Pipe() { sink = pipe(ends); }
};

}  // namespace

SCENARIO(connect_tcp, clean) { connect_and_accept(AF_INET); }
SCENARIO(connect_local, clean) { connect_and_accept(AF_UNIX); }
SCENARIO(datagram_tcp, clean) { datagram(AF_INET, false); }
SCENARIO(datagram_connected, clean) { datagram(AF_INET, true); }
SCENARIO(datagram_local, clean) { datagram(AF_UNIX, true); }
SCENARIO(end_of_file, clean) {
  const Pipe pipe;
  in_order([&] { close(pipe.ends[1]); }, [&] { get(pipe.ends[0]); });
}
SCENARIO(shutdown_ends, clean) {
  int ends[2];
  sink = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  in_order([&] { shutdown(ends[1], SHUT_WR); }, [&] { get(ends[0]); });
}
SCENARIO(polled, clean) {
  const Pipe pipe;
  in_order([&] { put(pipe.ends[1]); },
           [&] {
             pollfd entry = {pipe.ends[0], POLLIN, 0};
             poll(&entry, 1, -1);
           });
}
SCENARIO(selected, clean) {
  const Pipe pipe;
  in_order([&] { put(pipe.ends[1]); },
           [&] {
             fd_set set;
             FD_ZERO(&set);
             FD_SET(pipe.ends[0], &set);
             select(pipe.ends[0] + 1, &set, nullptr, nullptr, nullptr);
           });
}
SCENARIO(epolled, clean) {
  const Pipe pipe;
  const int set = epoll_create1(0);
  epoll_event event = {EPOLLIN, {}};
  epoll_ctl(set, EPOLL_CTL_ADD, pipe.ends[0], &event);
  in_order([&] { put(pipe.ends[1]); }, [&] { epoll_wait(set, &event, 1, -1); });
  close(set);
}
// What was ready all the time is told of when somebody asks for it.
void asked_for(bool same) {
  const Pipe pipe, other;
  const int set = epoll_create1(0);
  epoll_event silent = {0, {}}, event = {EPOLLIN, {}};
  epoll_ctl(set, EPOLL_CTL_ADD, pipe.ends[0], &silent);
  epoll_ctl(set, EPOLL_CTL_ADD, other.ends[0], same ? &silent : &event);
  put(pipe.ends[1]);
  put(other.ends[1]);
  in_order([&] { epoll_ctl(set, EPOLL_CTL_MOD, pipe.ends[0], &event); },
           [&] {
             epoll_event found;
             epoll_wait(set, &found, 1, -1);
           });
  close(set);
}
SCENARIO(epoll_asked_for, clean) { asked_for(true); }
SCENARIO(epoll_asked_for_another, racy) { asked_for(false); }
SCENARIO(duplicate_of_event, clean) {
  const int event = eventfd(0, 0);
  const int other = dup(event);
  in_order([&] { put(other); }, [&] { get(event); });
}
// What is ready is another descriptor than the one that was written to.
SCENARIO(polled_another, racy) {
  const Pipe pipe, other;
  put(other.ends[1]);
  in_order([&] { put(pipe.ends[1]); },
           [&] {
             pollfd entry = {other.ends[0], POLLIN, 0};
             poll(&entry, 1, -1);
           });
}

// A file to lock, and what is guarded by that; each thread opens it for itself.
struct LockFile {
  char name[32] = "/tmp/race_lockXXXXXX";
  LockFile() { close(mkstemp(name)); }
  ~LockFile() { unlink(name); }
};

template <typename Lock, typename Unlock>
void guarded_by_file(Lock lock, Unlock unlock) {
  const LockFile file;
  const auto add = [&] {
    const int fd = open(file.name, O_RDWR | O_CLOEXEC);
    lock(fd);
    value += 1;
    unlock(fd);
  };
  together(add, add);
}

void set_lock(int fd, int command, short type) {
  struct flock what = {};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  sink = fcntl(fd, command, &what);
}

SCENARIO(flock_of_two_openings, clean) {
  guarded_by_file([](int fd) { flock(fd, LOCK_EX); },
                  [](int fd) {
                    flock(fd, LOCK_UN);
                    close(fd);
                  });
}

SCENARIO(flock_ends_with_close, clean) {
  guarded_by_file([](int fd) { flock(fd, LOCK_EX); }, [](int fd) { close(fd); });
}

SCENARIO(lock_of_open_file, clean) {
  guarded_by_file([](int fd) { set_lock(fd, F_OFD_SETLKW, F_WRLCK); },
                  [](int fd) {
                    set_lock(fd, F_OFD_SETLK, F_UNLCK);
                    close(fd);
                  });
}

SCENARIO(shared_flock, racy) {
  guarded_by_file([](int fd) { flock(fd, LOCK_SH); }, [](int fd) { close(fd); });
}

// Locks of the process keep no thread of it out.
SCENARIO(lock_of_process, racy) {
  guarded_by_file([](int fd) { set_lock(fd, F_SETLKW, F_WRLCK); }, [](int fd) { close(fd); });
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
