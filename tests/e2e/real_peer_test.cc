// SPDX-License-Identifier: Apache-2.0
// A program that talks to a server outside of it: that works, and is said.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kSentence[] = "talks to a peer outside the process";

// Answers every byte with the next one.
class Server {
 public:
  Server() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in here = {};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&here), size), 0);
    EXPECT_EQ(listen(listener_, 64), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size), 0);
    port_ = std::to_string(ntohs(here.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  const std::string& port() const { return port_; }

 private:
  void serve() {
    for (;;) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      // One after the other: a client that has nothing to say yet must not keep others waiting.
      std::thread([client] {
        char byte;
        while (recv(client, &byte, 1, 0) == 1) {
          ++byte;
          if (send(client, &byte, 1, MSG_NOSIGNAL) != 1) break;
        }
        close(client);
      }).detach();
    }
  }

  int listener_;
  std::string port_;
  std::thread thread_;
};

TEST(RealPeer, WorksAndIsSaidToBeUncontrolled) {
  const Server server;
  const std::string program = test::program("gcc", "events/real_peer");
  const Result fuzzed =
      jostle({"fuzz", "-n", "50", "--json", "--quiet", "--", program, server.port()});
  EXPECT_EQ(fuzzed.exit_code, 0) << fuzzed;
  EXPECT_THAT(fuzzed.out, HasSubstr(kSentence)) << fuzzed;
  const Result doctor = jostle({"doctor", program, server.port()});
  EXPECT_THAT(doctor.out + doctor.err, HasSubstr(kSentence)) << doctor;
}

TEST(RealPeer, IsNotSaidOfProgramsThatTalkToThemselves) {
  const Result doctor = jostle({"doctor", test::program("gcc", "events/epoll_loop")});
  EXPECT_THAT(doctor.out + doctor.err, Not(HasSubstr(kSentence))) << doctor;
}

TEST(RealPeer, IsNobodyWhereNobodyListens) {
  std::string port;
  { port = Server().port(); }
  const Result doctor =
      jostle({"doctor", test::program("gcc", "events/real_peer"), port, "nobody"});
  EXPECT_THAT(doctor.out + doctor.err, Not(HasSubstr(kSentence))) << doctor;
  EXPECT_THAT(doctor.out + doctor.err, HasSubstr("by itself, without a failure")) << doctor;
}

}  // namespace
}  // namespace jostle::test
