// headers: asio.hpp
// A proxy that checks requests with a token of its own. A request that finds the token expired asks
// for a new one and waits in a queue; when the token comes, the queue is served.
//
// Wrong: that a new token is being fetched is forgotten as soon as it comes, but the old one counts
// until the whole queue has been served, which takes several turns of the loop. A request in
// between joins the queue and asks for a token again; the answer to that serves a queue that is
// being served already.
// Shown when: a request arrives between two turns of serving.
// Failure: assert (a request is served twice).
// From: fiware-pep-steelskin issue 269, ported by ConFuzz ("FPS"); Sumit Padhiyar's thesis on
// property-based concurrency fuzzing. Here on Asio.
#define ASIO_STANDALONE 1
#define ASIO_NO_DEPRECATED 1
#include <array>
#include <asio.hpp>
#include <cassert>
#include <deque>
#include <memory>

namespace {

using asio::local::stream_protocol;
constexpr int kRequests = 3;

asio::io_context context;
bool valid = false, fetching = false;
std::deque<int> queue;
int served[kRequests];

stream_protocol::socket proxy(context), keystone(context);
std::array<char, 1> question, token;

void serve_next() {
  if (queue.empty()) {
    valid = true;
    return;
  }
  const int request = queue.front();
#ifdef FIXED
  queue.pop_front();
  assert(++served[request] == 1);
  asio::post(context, serve_next);
#else
  assert(++served[request] == 1);
  asio::post(context, [] {
    queue.pop_front();
    serve_next();
  });
#endif
}

void fetch_token() {
  if (fetching) return;
  fetching = true;
  asio::async_write(proxy, asio::buffer("?", 1), [](std::error_code, size_t) {});
  asio::async_read(proxy, asio::buffer(token), [](std::error_code error, size_t) {
    assert(!error);
    fetching = false;
    serve_next();
  });
}

void request(int number) {
  queue.push_back(number);
  if (!valid) return fetch_token();
  serve_next();
}

void answer_questions() {
  asio::async_read(keystone, asio::buffer(question), [](std::error_code error, size_t) {
    if (error) return;
    asio::async_write(keystone, asio::buffer("!", 1), [](std::error_code, size_t) {});
    answer_questions();
  });
}

struct Client {
  stream_protocol::socket here{context}, there{context};
  std::array<char, 1> byte;
};

}  // namespace

int main() {
  asio::local::connect_pair(proxy, keystone);
  std::array<Client, kRequests> clients;
  answer_questions();
  for (int i = 0; i < kRequests; i++) {
    Client& client = clients[static_cast<size_t>(i)];
    asio::local::connect_pair(client.here, client.there);
    asio::async_read(client.there, asio::buffer(client.byte), [i](std::error_code error, size_t) {
      if (!error) request(i);
    });
  }
  // They come at different times.
  std::array<std::unique_ptr<asio::steady_timer>, kRequests> timers;
  for (int i = 0; i < kRequests; i++) {
    const auto k = static_cast<size_t>(i);
    timers[k] = std::make_unique<asio::steady_timer>(context, std::chrono::milliseconds(10 * i));
    timers[k]->async_wait(
        [&clients, k](std::error_code) { asio::write(clients[k].here, asio::buffer("r", 1)); });
  }
  asio::steady_timer end(context, std::chrono::seconds(1));
  end.async_wait([](std::error_code) { context.stop(); });
  context.run();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
