// fails: never
// use_after_free with shared ownership.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Session {
  int requests = 0;
  std::string user = "somebody with a long name";
};

static std::mutex mutex;
static std::map<int, std::shared_ptr<Session>> sessions;

static std::shared_ptr<Session> find(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto it = sessions.find(id);
  return it == sessions.end() ? nullptr : it->second;
}

static void request(int id) {
  std::shared_ptr<Session> s = find(id);
  if (s) s->requests += (int)s->user.size();
}

static void end(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  sessions.erase(id);
}

int main() {
  sessions[1] = std::make_shared<Session>();
  std::thread a(request, 1), b(end, 1);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
