// fails: heap use-after-free (some schedules)
// The session is deleted while a request may still use it. Shown when the end comes between the
// request's look-up and its use.
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Session {
  int requests = 0;
  std::string user = "somebody with a long name";
};

static std::mutex mutex;
static std::map<int, Session*> sessions;

static Session* find(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto it = sessions.find(id);
  return it == sessions.end() ? nullptr : it->second;
}

static void request(int id) {
  Session* s = find(id);
  if (s) s->requests += (int)s->user.size();
}

static void end(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  delete sessions[id];
  sessions.erase(id);
}

int main() {
  sessions[1] = new Session;
  std::thread a(request, 1), b(end, 1);
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
