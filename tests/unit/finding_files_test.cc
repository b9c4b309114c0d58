// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/finding_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kReplay[] = "{\n  \"format\": \"jostle-replay\",\n  \"version\": 1\n}\n";

class FindingFiles : public testing::Test {
 protected:
  FindingFiles() {
    std::string name = (fs::temp_directory_path() / "finding-files-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FindingFiles() override { fs::remove_all(folder_); }

  void write(const fs::path& name, std::string_view text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  // Below the folder.
  std::vector<std::string> found(const fs::path& below = "") const {
    const Result<std::vector<std::string>> files = find_finding_files(folder_ / below);
    EXPECT_TRUE(files);
    std::vector<std::string> names;
    for (const std::string& file : *files) names.push_back(fs::relative(file, folder_));
    return names;
  }

  fs::path folder_;
};

TEST_F(FindingFiles, AreReplayFilesAtAnyDepthInOrder) {
  write("b/server/deadlock-1/replay.json", kReplay);
  write("b/bank/assert-1/replay.json", kReplay);
  write("a.json", kReplay);
  EXPECT_THAT(found(), ElementsAre("a.json", "b/bank/assert-1/replay.json",
                                   "b/server/deadlock-1/replay.json"));
}

TEST_F(FindingFiles, AreNotWhatIsKeptBesideThem) {
  write("bank/assert-1/replay.json", kReplay);
  for (const char* name : {"replay-original.json", "replay-passing.json"}) {
    write(fs::path("bank/assert-1") / name, kReplay);
  }
  write("bank/assert-1/report.json", "{\"kind\": \"assert\"}");
  write("bank/assert-1/trace.json", "[]");
  write("bank/corpus/replay.json", kReplay);
  write("bank/unconfirmed/assert-2.json", kReplay);
  write("bank/.draft-1/replay.json", kReplay);
  write("small.json", kReplay);
  write("small-original.json", kReplay);
  write("one-original.json", kReplay);
  EXPECT_THAT(found(), ElementsAre("bank/assert-1/replay.json", "one-original.json", "small.json"));
  // Who asks for them gets them.
  EXPECT_THAT(found("bank/unconfirmed"), ElementsAre("bank/unconfirmed/assert-2.json"));
}

TEST_F(FindingFiles, ADamagedReplayFileIsOneByItsName) {
  write("x/replay.json", "hello");
  write("y.json", "hello");
  write("z.json", "");
  EXPECT_THAT(found(), ElementsAre("x/replay.json"));
}

TEST_F(FindingFiles, OnlyFilesAreOpened) {
  write("a/replay.json", kReplay);
  ASSERT_EQ(mkfifo((folder_ / "replay.json").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder_ / "pipe.json").c_str(), 0600), 0);
  fs::create_directory_symlink(folder_, folder_ / "a" / "round");
  EXPECT_THAT(found(), ElementsAre("a/replay.json"));
}

TEST_F(FindingFiles, NothingThereIsNoError) {
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_FALSE(find_finding_files(folder_ / "missing"));
}

}  // namespace
}  // namespace jostle::cli
