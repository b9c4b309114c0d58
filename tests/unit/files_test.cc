// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    std::string name = fs::temp_directory_path() / "jostle-files-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~FilesTest() override { fs::remove_all(directory_); }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  fs::path directory_;
};

// Writing more than this gives EFBIG, as a full disk gives ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_handler_);
  }

 private:
  rlimit previous_;
  void (*previous_handler_)(int);
};

TEST_F(FilesTest, AtomicFileAppearsAtTheEnd) {
  const fs::path path = directory_ / "a.json";
  Result<AtomicFile> file = AtomicFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(file->commit("hello"));
  EXPECT_EQ(content(path), "hello");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, AtomicFileKeepsTheOldOneWhenItFails) {
  const fs::path path = directory_ / "a.json";
  std::ofstream(path) << "old";
  {
    Result<AtomicFile> file = AtomicFile::open(path);
    ASSERT_TRUE(file);
    const FileSizeLimit limit(100);
    const MaybeError error = file->commit(std::string(1000, 'x'));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, Exit::output);
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, UnwritablePlacesAreSeenAtOnce) {
  std::ofstream(directory_ / "file") << "x";
  EXPECT_EQ(AtomicFile::open("/nowhere/x").error().code, Exit::output);
  EXPECT_EQ(AtomicFile::open(directory_).error().code, Exit::output);
  EXPECT_EQ(OutputFolder::open(directory_ / "file", "prog").error().code, Exit::output);
  EXPECT_EQ(OutputFolder::open("/proc", "prog").error().code, Exit::output);
}

TEST_F(FilesTest, DraftsGetTheirNameWhenComplete) {
  Result<OutputFolder> folder = OutputFolder::open(directory_, "prog");
  ASSERT_TRUE(folder);
  Result<Draft> draft = Draft::begin(*folder);
  ASSERT_TRUE(draft);
  EXPECT_FALSE(draft->write("replay.json", "{\"signature\": \"5d0c1f0000000001\"}"));
  const auto destination = draft->destination("assert", 0x5d0c1f0000000001);
  EXPECT_TRUE(destination.is_new);
  EXPECT_EQ(fs::path(destination.path).filename(), "assert-5d0c1f");
  EXPECT_FALSE(draft->publish(destination));
  EXPECT_TRUE(fs::exists(fs::path(destination.path) / "replay.json"));
}

TEST_F(FilesTest, TheFirstOfEqualFindingsIsKept) {
  Result<OutputFolder> folder = OutputFolder::open(directory_, "prog");
  ASSERT_TRUE(folder);
  for (const char* note : {"first", "second"}) {
    Result<Draft> draft = Draft::begin(*folder);
    ASSERT_TRUE(draft);
    EXPECT_FALSE(draft->write("replay.json", "{\"signature\": \"5d0c1f0000000001\"}"));
    EXPECT_FALSE(draft->write("note", note));
    const auto destination = draft->destination("assert", 0x5d0c1f0000000001);
    EXPECT_EQ(destination.is_new, note == std::string("first"));
    EXPECT_FALSE(draft->publish(destination));
  }
  EXPECT_EQ(content(directory_ / "prog" / "assert-5d0c1f" / "note"), "first");
  // Another signature with the same first digits has a longer name.
  Result<Draft> other = Draft::begin(*folder);
  ASSERT_TRUE(other);
  EXPECT_EQ(fs::path(other->destination("assert", 0x5d0c1f0000000002).path).filename(),
            "assert-5d0c1f000000");
}

TEST_F(FilesTest, AFullDiskLeavesNothingBehind) {
  Result<OutputFolder> folder = OutputFolder::open(directory_, "prog");
  ASSERT_TRUE(folder);
  {
    Result<Draft> draft = Draft::begin(*folder);
    ASSERT_TRUE(draft);
    const FileSizeLimit limit(100);
    const MaybeError error = draft->write("replay.json", std::string(1000, 'x'));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, Exit::output);
  }
  EXPECT_TRUE(fs::is_empty(directory_ / "prog"));
}

}  // namespace
}  // namespace jostle::cli
