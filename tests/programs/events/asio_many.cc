// headers: asio.hpp
// Timers, sockets, posted handlers, a strand and a second thread on Asio, with a global io_context:
// everything arrives, what Asio orders stays ordered. Prints the order.
#define ASIO_STANDALONE 1
#define ASIO_NO_DEPRECATED 1
#include <array>
#include <asio.hpp>
#include <cstdio>
#include <string>
#include <thread>

#include "../check.h"

namespace {

using asio::local::stream_protocol;
using namespace std::chrono_literals;

asio::io_context context;
std::string order;

struct Link {
  stream_protocol::socket here{context}, there{context};
  std::array<char, 1> byte;
};

}  // namespace

int main() {
  std::array<Link, 3> links;
  for (size_t i = 0; i < links.size(); i++) {
    asio::local::connect_pair(links[i].here, links[i].there);
    asio::async_read(links[i].there, asio::buffer(links[i].byte),
                     [i](std::error_code error, size_t size) {
                       CHECK(!error && size == 1);
                       order += static_cast<char>('p' + i);
                     });
    asio::write(links[i].here, asio::buffer("x", 1));
  }
  const auto start = asio::steady_timer::clock_type::now();
  asio::steady_timer first(context, 5ms), second(context, 10ms);
  first.async_wait([&](std::error_code) {
    CHECK(asio::steady_timer::clock_type::now() - start >= 5ms);
    order += 'a';
  });
  second.async_wait([&](std::error_code) {
    CHECK(order.find('a') != std::string::npos);
    order += 'b';
  });
  auto strand = asio::make_strand(context);
  int in_strand = 0;
  for (int i = 0; i < 3; i++) {
    asio::post(strand, [&in_strand, i] {
      CHECK(in_strand == i);
      in_strand++;
      order += static_cast<char>('0' + i);
    });
  }
  auto work = asio::make_work_guard(context);
  std::thread other([&] {
    asio::post(context, [&] {
      order += 't';
      work.reset();
    });
  });
  context.run();
  other.join();
  CHECK(order.size() == 9);
  std::puts(order.c_str());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
