// SPDX-License-Identifier: Apache-2.0
// Files that runs change: every run of a campaign finds them as the first one did, and the user as
// they were. What is not put back is named.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint64_t inode(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// A campaign in a folder of its own.
struct Campaign {
  explicit Campaign(const std::string& name) : path(program("gcc", name)) {}
  Json fuzz(std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"fuzz", "--seed", "5", "--fresh", "--json", "-o", out.file("out")});
    options.insert(options.end(), {"--", path});
    result = jostle(options, {.cwd = here.path()});
    Json stats = Json::parse(result.out, nullptr, false);
    return stats.is_object() ? stats : Json::object();
  }
  fs::path file(const std::string& name) const { return fs::path(here.path()) / name; }

  std::string path;
  TempDir here, out;
  Result result;
};

class Files : public testing::TestWithParam<std::string> {};

TEST_P(Files, AreAsTheyWere) {
  Campaign campaign("torture/rewind_files");
  for (const char* name : {"kept.txt", "added.txt", "replaced.txt", "removed.txt", "linked.txt"}) {
    write(campaign.file(name), "before");
  }
  fs::create_directory(campaign.file("folder"));
  write(campaign.file("folder/inside"), "inside");
  fs::create_hard_link(campaign.file("linked.txt"), campaign.file("other_name.txt"));
  fs::permissions(campaign.file("removed.txt"), fs::perms::owner_read);
  const auto names = names_in(campaign.here.path());
  const uint64_t kept = inode(campaign.file("kept.txt"));
  const auto modified = fs::last_write_time(campaign.file("kept.txt"));

  const Json stats = campaign.fuzz({"-n", "40", "--strategy", "pos", "--executor=" + GetParam()});
  EXPECT_EQ(campaign.result.exit_code, 0) << campaign.result;
  EXPECT_EQ(stats["executor"], GetParam()) << stats["executor_note"];
  EXPECT_EQ(stats["file_note"], "") << campaign.result;

  EXPECT_EQ(names_in(campaign.here.path()), names);
  for (const char* name :
       {"kept.txt", "added.txt", "replaced.txt", "removed.txt", "linked.txt", "other_name.txt"}) {
    EXPECT_EQ(read(campaign.file(name)), "before") << name;
  }
  EXPECT_EQ(read(campaign.file("folder/inside")), "inside");
  EXPECT_EQ(fs::status(campaign.file("removed.txt")).permissions(), fs::perms::owner_read);
  EXPECT_EQ(inode(campaign.file("kept.txt")), kept) << "written in place";
  EXPECT_EQ(inode(campaign.file("linked.txt")), inode(campaign.file("other_name.txt")));
  EXPECT_EQ(fs::last_write_time(campaign.file("kept.txt")), modified);
}

INSTANTIATE_TEST_SUITE_P(All, Files, testing::Values("snapshot", "fork"),
                         [](const auto& info) { return info.param; });

// The command replays what fails while the campaign goes on: both write the same files.
TEST(FilesOfFailures, ArePutBackWhileTheCampaignGoesOn) {
  Campaign campaign("torture/rewind_files");
  for (const char* name : {"added.txt", "replaced.txt", "removed.txt", "linked.txt"}) {
    write(campaign.file(name), "before");
  }
  fs::create_directory(campaign.file("folder"));
  write(campaign.file("kept.txt"), "other");  // every run fails because of it, before it writes
  const Json early = campaign.fuzz({"-n", "30", "-k"});
  EXPECT_EQ(early["failing_schedules"], early["schedules"]) << campaign.result;
  write(campaign.file("kept.txt"), "before");
  write(campaign.file("fail"), "");  // … and of this behind all that it writes
  const auto names = names_in(campaign.here.path());
  const Json late = campaign.fuzz({"-n", "30", "-k"});
  EXPECT_EQ(late["failing_schedules"], late["schedules"]) << campaign.result;
  EXPECT_EQ(late["failures"].size(), 1u) << "always the same one";
  EXPECT_EQ(late["file_note"], "");
  EXPECT_EQ(names_in(campaign.here.path()), names);
  for (const char* name : {"kept.txt", "added.txt", "replaced.txt", "removed.txt", "linked.txt"}) {
    EXPECT_EQ(read(campaign.file(name)), "before") << name;
  }
}

// Too large to be kept: left alone, and named with the reason.
TEST(FilesLeftAlone, AreNamed) {
  Campaign campaign("torture/rewind_files");
  for (const char* name : {"added.txt", "replaced.txt", "removed.txt", "linked.txt"}) {
    write(campaign.file(name), "before");
  }
  fs::create_directory(campaign.file("folder"));
  write(campaign.file("kept.txt"), "before\n" + std::string(5 << 20, 'x'));
  const Json stats = campaign.fuzz({"-n", "20", "-k"});
  EXPECT_THAT(stats["file_note"].dump(), HasSubstr("kept.txt")) << campaign.result;
  EXPECT_THAT(stats["file_note"].dump(), HasSubstr("larger than 4 MiB"));
}

// What the kernel does not take back needs a process per run, and is then as in any process.
TEST(NeedsKernel, GetsAProcessPerRun) {
  const std::pair<const char*, const char*> kinds[] = {{"n", "prctl"},       {"k", "prctl"},
                                                       {"d", "prctl"},       {"t", "prctl"},
                                                       {"p", "personality"}, {"s", "prctl"}};
  for (const auto& [letter, why] : kinds) {
    const TempDir out;
    const Result result =
        jostle({"fuzz", "-n", "30", "--seed", "5", "--fresh", "--json", "-o", out.file("out"), "--",
                program("gcc", "torture/needs_kernel"), letter});
    EXPECT_EQ(result.exit_code, 0) << letter << result;
    const Json stats = Json::parse(result.out, nullptr, false);
    ASSERT_TRUE(stats.is_object()) << result;
    EXPECT_EQ(stats["executor"], "fork") << letter;
    EXPECT_THAT(stats["executor_note"].dump(), HasSubstr(why)) << letter;
  }
}

// A wait that ends without a signal, an exchange that fails without a reason: it is said, and can
// be ruled out.
void expect_spurious(const std::string& path, const std::string& sentence,
                     const std::string& remark) {
  const TempDir out;
  const Result found =
      jostle({"fuzz", "--seed", "1", "-n", "3000", "--fresh", "-o", out.file("out"), "--", path});
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr(sentence)) << found;
  EXPECT_THAT(found.out, HasSubstr(remark)) << found;
  // It was found behind the executions that were explored, none of which fails.
  EXPECT_THAT(found.out, testing::Not(testing::ContainsRegex("FAILED after [0-9,]+ execution")));
  // It is the cause, and nothing else is named besides.
  for (const std::filesystem::path& file : recordings_in(out.file("out"))) {
    const std::string why = Json::parse(read_file(file)).value("why", "");
    EXPECT_THAT(why, HasSubstr("without that it passes. It may happen at any time")) << why;
    EXPECT_THAT(why, testing::Not(HasSubstr("differs"))) << why;
    EXPECT_EQ(jostle({"replay", "--passing", file}).exit_code, 0) << why;
  }
  const Result without = jostle({"fuzz", "--seed", "1", "-n", "3000", "--fresh", "--no-spurious",
                                 "-o", out.file("none"), "--", path});
  EXPECT_EQ(without.exit_code, 0) << without;
  for (const char* more : {"--spurious", "--no-spurious"}) {
    const Result all = jostle({"fuzz", "--strategy", "systematic-first", "--fresh", more, "-o",
                               out.file("all"), "--", path});
    EXPECT_EQ(all.exit_code, std::string(more) == "--spurious" ? 77 : 0) << all;
  }
}

TEST(Spurious, WakeUpIsExplainedAndAChoice) {
  expect_spurious(program("gcc", "bugs/spurious_wakeup"), "was woken without a signal",
                  "spurious wake-up)");
}

// Who waits until a time that is over is told that, whatever happens.
TEST(Spurious, NoneIsThereWhenTheTimeIsOver) {
  for (const char* name : {"conform/cond_timed", "conform/c11_cond"}) {
    const TempDir out;
    const Result silent = jostle({"fuzz", "--seed", "1", "-n", "500", "--fresh", "-o",
                                  out.file("out"), "--", program("gcc", name)});
    EXPECT_EQ(silent.exit_code, 0) << silent;
  }
}

TEST(Spurious, FailureIsExplainedAndAChoice) {
  expect_spurious(program("gcc", "bugs/weak_exchange_once"), "The compare_exchange_weak by which",
                  "spurious failure)");
}

// A run that fails, or is cut off, has not come to where the program removes them.
class KernelObjects : public testing::TestWithParam<std::string> {};

TEST_P(KernelObjects, ThatARunLeavesAreRemoved) {
  const TempDir folder, out;
  const std::string path = build(folder, "leaves", R"(
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
static int counter;
static void* count(void* unused) {
  counter++;
  return unused;
}
int main(int argc, char** argv) {
  assert(argc == 3);
  const key_t key = atoi(argv[1]);
  const int messages = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
  const int semaphores = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
  const int memory = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
  if (messages < 0 || semaphores < 0 || memory < 0) return 3;
  const mqd_t queue = mq_open(argv[2], O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
  if (queue < 0) return 4;
  pthread_t a, b;
  pthread_create(&a, 0, count, 0);
  pthread_create(&b, 0, count, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  mq_close(queue);
  mq_unlink(argv[2]);
  msgctl(messages, IPC_RMID, 0);
  semctl(semaphores, 0, IPC_RMID);
  shmctl(memory, IPC_RMID, 0);
}
)");
  const int key = 0x4a000000 + static_cast<int>(getpid());
  const std::string name = "/jostle" + std::to_string(key);
  const Result result =
      jostle({"fuzz", "--seed", "1", "-n", "60", "--keep-going", "--executor", GetParam(), "-o",
              out.file("out"), "--", path, std::to_string(key), name});
  EXPECT_EQ(result.exit_code, 77) << result;
  EXPECT_THAT(result.out, HasSubstr("1 failure ")) << result;
  EXPECT_THAT(result.out, HasSubstr("counter == 2")) << result;
  EXPECT_LT(msgget(key, 0), 0);
  EXPECT_LT(semget(key, 0, 0), 0);
  EXPECT_LT(shmget(key, 0, 0), 0);
  EXPECT_LT(mq_open(name.c_str(), O_RDONLY), 0);
}

INSTANTIATE_TEST_SUITE_P(All, KernelObjects, testing::Values("auto", "fork"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace jostle::test
