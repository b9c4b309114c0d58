// SPDX-License-Identifier: Apache-2.0
// cpp-httplib: a server with a pool of threads, two clients beside each other, then stop().
#include <httplib.h>

#include <cassert>
#include <string>
#include <thread>

int main() {
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  server.Get("/twice", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(std::to_string(2 * std::stoi(request.get_param_value("n"))), "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  assert(port > 0);
  std::thread serving([&] { server.listen_after_bind(); });
  auto ask = [&](int n) {
    httplib::Client client("127.0.0.1", port);
    const auto answer = client.Get(("/twice?n=" + std::to_string(n)).c_str());
    assert(answer && answer->body == std::to_string(2 * n));
  };
  std::thread one(ask, 21), two(ask, 4);
  one.join();
  two.join();
  server.stop();
  serving.join();
}
