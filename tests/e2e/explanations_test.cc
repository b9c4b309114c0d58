// SPDX-License-Identifier: Apache-2.0
// Explanations against the known causes: what the heads of the subjects say is wrong, by variable
// and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each entry has to be mentioned; "a|b": one of them. A place is a line of the subject's source.
struct Cause {
  const char* subject;
  std::vector<const char*> mentions;
};
void PrintTo(const Cause& cause, std::ostream* os) { *os << cause.subject; }

std::vector<std::string> alternatives(const std::string& text) {
  std::vector<std::string> result;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find('|', from), text.size());
    result.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return result;
}

bool mentions(const std::string& why, const std::string& text) {
  for (const std::string& one : alternatives(text)) {
    if (why.find(one) != std::string::npos) return true;
  }
  return false;
}

class Explained : public testing::TestWithParam<Cause> {};

TEST_P(Explained, ByItsKnownCause) {
  const Cause& cause = GetParam();
  const fs::path program = fs::path(JOSTLE_BUILD_DIR) / "subjects" / cause.subject;
  if (!fs::exists(program)) GTEST_SKIP() << "not built (no event library?)";
  const TempDir dir;
  const Result result = jostle({"fuzz", "--seed", "1", "--fresh", "--time", "60s", "--minimize",
                                "5s", "-q", "-o", dir.path(), program},
                               {.time_limit = 120});
  ASSERT_EQ(result.exit_code, 77) << result;
  const std::string why =
      nlohmann::json::parse(read_file(recording_in(dir.path()))).value("why", "");
  for (const char* part : cause.mentions) {
    EXPECT_TRUE(mentions(why, part)) << "no " << part << " in: " << why;
  }
}

// From the interleaving to the stack.
std::string interleaving_in(const std::string& report) {
  const size_t from = report.find("  the interleaving");
  const size_t to = report.find("  stack of", from);
  return from == std::string::npos || to == std::string::npos ? "" : report.substr(from, to - from);
}

TEST(Explanation, IsShownWithItsStepsByAReplay) {
  const TempDir dir;
  const fs::path program = fs::path(JOSTLE_BUILD_DIR) / "subjects/workstealqueue_mutex_1";
  const Result found = jostle({"fuzz", "--seed", "1", "-q", "-o", dir.path(), program});
  ASSERT_EQ(found.exit_code, 77) << found;
  const Result again = jostle({"replay", recording_in(dir.path())});
  ASSERT_EQ(again.exit_code, 77) << again;
  EXPECT_THAT(interleaving_in(found.out), HasSubstr("if (count > 0)")) << found;
  EXPECT_EQ(interleaving_in(found.out), interleaving_in(again.err));
}

const Cause kCauses[] = {
    // Atomicity: what comes between two accesses that belong together.
    {"aget_bug2", {"total", "aget_bug2.c:52|aget_bug2.c:53", "aget_bug2.c:42"}},
    {"bluetooth_driver", {"stopping_flag|pending_io", ":35|:36"}},
    {"circular_buffer", {"next", "circular_buffer.c:20", "circular_buffer.c:42"}},
    {"ctrace_test", {"trace.used", "ctrace_test.c:34", "ctrace_test.c:36"}},
    {"cve_2009_3547", {"inode.pipe", "close_pipe", "cve_2009_3547.c:44", "cve_2009_3547.c:30"}},
    {"cve_2011_2183", {"cve_2011_2183.c:54|cve_2011_2183.c:52", "end_process", "scan"}},
    {"cve_2016_1972",
     {"state|once_lock|waiters", "cve_2016_1972.c:43|cve_2016_1972.c:70|cve_2016_1972.c:68"}},
    {"cve_2016_7911", {"io_context", "cve_2016_7911.c:29", "cve_2016_7911.c:39"}},
    {"cve_2016_9806", {"callback.request", "cve_2016_9806.c:29", "cve_2016_9806.c:50"}},
    {"cve_2017_15265", {"state", "cve_2017_15265.c:50", "cve_2017_15265.c:60"}},
    {"cve_2017_6346", {"fanout", "cve_2017_6346.c:35", "cve_2017_6346.c:45"}},
    {"stringbuffer", {"length_", "stringbuffer.cc:21", "stringbuffer.cc:35"}},
    {"wronglock_3", {"counter", "wronglock.c:38", "count_and_check"}},
    {"workstealqueue_mutex_1", {"count", "main", "thief", ":56|:58", ":67|:73"}},
    {"radbench_bug4", {"owned", "monitor_cache.c:48"}},
    {"radbench_bug5", {"interrupt.c:69|interrupt.c:70", "wait_for_work"}},
    {"radbench_bug6", {"user_threads", "cleanup.c:25", "all_gone"}},
    // Order: a read that comes too early or too late.
    {"account", {"deposit_done|withdrawal_done", "account.c:37"}},
    {"bigshot_p", {"text", "bigshot_p.c:27", "bigshot_p.c:19"}},
    {"cve_2013_1792", {"session_keyring", "cve_2013_1792.c:42"}},
    {"lazy01", {"look", "data = 3", "lazy01.c:40"}},
    {"lu", {"matrix", "factorise"}},
    {"singleton_b", {"write_x", "value = 'X' (88)", "write_y", "singleton_b.c:18"}},
    {"token_ring", {"check", "token_ring.c:55"}},
    // Half of an update.
    {"queue", {"recorded[0] = 0", "elements[0]", "queue.c:45", "queue.c:33"}},
    {"reorder_3", {"a = 1", "b = 0", "b = -1", "reorder.c:29", "reorder.c:30", "reorder.c:42"}},
    {"reorder_10", {"a = 1", "b = 0", "reorder.c:29", "reorder.c:30"}},
    {"twostage", {"first = 1", "second = 0", "twostage.c:37", "twostage.c:40", "twostage.c:52"}},
    // Deadlocks.
    {"carter01", {"room", "counters", "carter01.c:25", "carter01.c:31"}},
    {"deadlock01", {"took a", "wants b", "took b", "wants a", "deadlock01.c:15"}},
    {"din_phil_3", {"forks[0]", "forks[1]", "forks[2]", "din_phil.c:27", "din_phil.c:28"}},
    {"phase01", {"middle", "end", "phase01.c:22", "phase01.c:35"}},
    {"sync", {"put signalled filled", "sync.c:18", "nobody waited", "items", "sync.c:29"}},
    {"two_receivers", {"arrived", "two_receivers.c:52", "two_receivers.c:36"}},
    // Event loops: which callback comes first.
    {"bank_log", {"It fails when|Here", "read_balance", "runs before", "store", "balance"}},
    // A request that comes between two turns of serving. The handlers are Asio's to call.
    {"pep_token",
     {"It fails when lambda in main|Here lambda in main", "before lambda in serve_next"}},
    {"ghost_signup",
     {"It fails when|Here", "database", "owners", "ghost_signup.c:34|ghost_signup.c:37"}},
    {"logger_file", {"It fails when|Here", "write_message", "open_file|opened", "runs before"}},
    {"porybox", {"It fails when", "load", "runs before", "save", "stored"}},
    {"tcpip_arp", {"It fails when|Here", "answer_arrived", "runs before", "probe_sent", "waiting"}},
};

INSTANTIATE_TEST_SUITE_P(Subjects, Explained, testing::ValuesIn(kCauses),
                         [](const auto& test) { return std::string(test.param.subject); });

// Asio has a queue of its own: what the wait reported says nothing of what it calls next.
TEST(Explanations, HandlersOfAsioAreListedWithoutAGuessAtTheirTrigger) {
  const TempDir dir;
  const std::string program = JOSTLE_BUILD_DIR "/subjects/pep_token";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "no Asio";
  const Result found = jostle({"fuzz", "--seed", "1", program}, {.cwd = dir.path()});
  EXPECT_THAT(found.out, HasSubstr("lambda in serve_next")) << found;
  EXPECT_THAT(found.out, HasSubstr("lambda in answer_questions")) << found;
  EXPECT_THAT(found.out, Not(HasSubstr("(descriptor"))) << found;
}

// The one that the README begins with: the two writes of the transfer that the audit came between.
TEST(Explanations, TheBankNamesTheTransferThatWasInterrupted) {
  const TempDir dir;
  const std::string bank = dir.file("bank");
  ASSERT_TRUE(jostle({"c++", "-g", "-O1", JOSTLE_SOURCE_DIR "/examples/bank.cc", "-o", bank}).ok());
  for (const char* seed : {"1", "2", "3"}) {
    const Result result = jostle({"fuzz", "--seed", seed, "--fresh", "-o", dir.file("out"), bank});
    ASSERT_EQ(result.exit_code, 77) << result;
    std::string text = result.out;
    std::erase(text, '\n');
    EXPECT_THAT(text,
                testing::ContainsRegex("T3 audit read accounts.* = 100 \\(bank.cc:16\\).*T[12] "
                                       "transfer wrote.*\\(bank.cc:22\\)"));
    EXPECT_THAT(text, HasSubstr("(bank.cc:28)"));
  }
}

}  // namespace
}  // namespace jostle::test
