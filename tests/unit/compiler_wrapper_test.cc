// SPDX-License-Identifier: Apache-2.0
// What the compiler wrapper makes of a command line, without running a compiler.
#include "src/cli/compiler/compiler_wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "src/cli/compiler/compiler_arguments.h"
#include "src/cli/compiler/compiler_options.h"
#include "src/cli/support/installed_files.h"
#include "src/cli/support/words.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

CompilerCall analyse(std::string_view line) { return analyse_compiler_call(split_words(line)); }

TEST(CompilerSplitWords, FollowsGccQuoting) {
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THAT(split_words(" \n\t "), IsEmpty());
  EXPECT_THAT(split_words("a  b\nc\td"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(split_words("'a b' \"c d\" e\\ f"), ElementsAre("a b", "c d", "e f"));
  EXPECT_THAT(split_words("-DX='\"y\"'"), ElementsAre("-DX=\"y\""));
  EXPECT_THAT(split_words("'it\\'s' \"a\\\"b\" \\\\"), ElementsAre("it's", "a\"b", "\\"));
  EXPECT_THAT(split_words("'' \"\" x"), ElementsAre("", "", "x"));
  EXPECT_THAT(split_words("un'ended quote"), ElementsAre("unended quote"));
}

TEST(CompilerResponseFiles, AreExpandedInPlaceAndNested) {
  const std::map<std::string, std::string> files{
      {"a", "-c @b 'x y.c'"}, {"b", "-O2 -g"}, {"empty", ""}};
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    return file == files.end() ? std::nullopt : std::optional(file->second);
  };
  EXPECT_THAT(expand_response_files({"1", "@a", "2", "@empty", "@missing", "@"}, read),
              ElementsAre("1", "-c", "-O2", "-g", "x y.c", "2", "@missing", "@"));
}

TEST(CompilerResponseFiles, ThatIncludeThemselvesEnd) {
  const auto read = [](const std::string&) { return std::optional<std::string>("-O1 @self"); };
  EXPECT_EQ(expand_response_files({"@self"}, read).size(), 2001);
}

// One line per way to call a compiler: what the call does, and the line. "query": nothing of ours
// is added. "compile", "link" or both. "relocate": the linker runs, but makes an object file.
struct Example {
  const char* does;
  const char* line;
};

std::ostream& operator<<(std::ostream& os, const Example& example) { return os << example.line; }

std::string describe(const CompilerCall& call) {
  if (call.passes_through) return "query";
  std::string does;
  if (call.compiles) does += "compile ";
  if (call.links) does += "link ";
  if (call.runs_linker && !call.links) does += "relocate ";
  return does.empty() ? "assemble" : does.substr(0, does.size() - 1);
}

class CompilerCallTest : public testing::TestWithParam<Example> {};

TEST_P(CompilerCallTest, IsUnderstood) {
  EXPECT_EQ(describe(analyse(GetParam().line)), GetParam().does) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Queries, CompilerCallTest,
    testing::Values(Example{"query", ""}, Example{"query", "--version"}, Example{"query", "-v"},
                    Example{"query", "-###"}, Example{"query", "-dumpversion"},
                    Example{"query", "-dumpfullversion -dumpversion"},
                    Example{"query", "-dumpmachine"}, Example{"query", "-print-search-dirs"},
                    Example{"query", "-print-prog-name=ld"},
                    Example{"query", "--print-file-name=libc.so"}, Example{"query", "--help"},
                    Example{"query", "--help=warnings -Q"}, Example{"query", "--target-help"},
                    Example{"query", "-dumpspecs"}, Example{"query", "-O2 -g"},
                    Example{"query", "-Wl,--version"}, Example{"query", "--version x.c"},
                    Example{"query", "-cc1 -emit-obj x.c"}, Example{"query", "-o out"},
                    Example{"query", "x.c -o"}, Example{"query", "-c x.c -I"}));

INSTANTIATE_TEST_SUITE_P(
    Compiling, CompilerCallTest,
    testing::Values(Example{"compile", "-c x.c"}, Example{"compile", "x.c -o x.o -c"},
                    Example{"compile", "-S x.cc"}, Example{"compile", "-E x.cc"},
                    Example{"compile", "-E -dM -x c /dev/null"}, Example{"compile", "-E -"},
                    Example{"compile", "-M x.c"}, Example{"compile", "-MM x.c"},
                    Example{"compile", "-MD -MF x.d -MT x.o -c x.c -o x.o"},
                    Example{"compile", "-fsyntax-only x.c"}, Example{"compile", "-v -c x.c"},
                    Example{"compile", "-### -c x.c"}, Example{"compile", "--compile x.c"},
                    Example{"compile", "-xc -c -"}, Example{"compile", "-x c++ -c x"},
                    Example{"compile", "--language=c -c x"}, Example{"compile", "-c x.S"},
                    Example{"compile", "-c a.c b.cc c.s"}, Example{"compile", "x.h"},
                    Example{"compile", "x.hpp -o x.hpp.gch"},
                    Example{"compile", "-x c++-header x -o x.gch"},
                    Example{"compile", "-c -static x.c"}, Example{"compile", "-r -c x.c"},
                    Example{"assemble", "-c x.s"}, Example{"assemble", "-x assembler -c x.c"},
                    // Values of options are no inputs.
                    Example{"assemble", "-c x.s -include y.c -o z.c -MF w.c -isystem v.c"}));

INSTANTIATE_TEST_SUITE_P(
    Linking, CompilerCallTest,
    testing::Values(Example{"compile link", "x.c"}, Example{"compile link", "-o x x.cc -lm"},
                    Example{"compile link", "-MD x.c"}, Example{"compile link", "-MMD -MFx.d x.c"},
                    Example{"compile link", "x.c y.o libz.a"}, Example{"compile link", "-xc -"},
                    Example{"compile link", "-shared -fPIC x.c -o libx.so"},
                    Example{"compile link", "-x c x -x none y.o"},
                    Example{"compile link", "-o dir.h/x ./dir.h/x.cpp"},
                    Example{"compile link", "x.c x.h"}, Example{"link", "x.o"},
                    Example{"link", "-o x.c x.o"}, Example{"link", "x.o -ox libx.a libx.so.1"},
                    Example{"link", "x.s"}, Example{"link", "-shared x.o"}, Example{"link", "-lm"},
                    Example{"link", "-l m"}, Example{"link", "-Wl,--whole-archive,libx.a"},
                    Example{"link", "-Xlinker libx.a"}, Example{"link", "no_extension"},
                    Example{"link", "-x c -x none x.o"}, Example{"link", "@unreadable"},
                    Example{"relocate", "-r a.o b.o -o c.o"},
                    Example{"relocate", "-nostdlib -Wl,-r a.o"},
                    Example{"relocate", "-Xlinker --relocatable a.o"},
                    Example{"compile relocate", "-r a.c -o c.o"},
                    Example{"link", "a.o -Wl,-rpath,/r -Wl,-rpath-link,/r"}));

TEST(CompilerSanitizers, LastWordCounts) {
  EXPECT_TRUE(analyse("x.c").instruments);
  EXPECT_TRUE(analyse("-fsanitize=thread x.c").instruments);
  EXPECT_FALSE(analyse("-fno-sanitize=thread x.c").instruments);
  EXPECT_FALSE(analyse("-fsanitize=thread -fno-sanitize=all x.c").instruments);
  EXPECT_TRUE(analyse("-fno-sanitize=all -fsanitize=undefined,thread x.c").instruments);
}

TEST(CompilerSanitizers, WithoutRuntimeConflictAreAllowed) {
  for (const char* line : {"-fsanitize=undefined x.c", "-fsanitize=thread,undefined x.c",
                           "-fsanitize=bounds-strict x.c", "-fsanitize=fuzzer x.c"}) {
    const CompilerCall call = analyse(line);
    EXPECT_FALSE(call.refusal) << line;
    EXPECT_TRUE(call.has_other_sanitizer) << line;
  }
  EXPECT_FALSE(analyse("-fsanitize=thread x.c").has_other_sanitizer);
  EXPECT_FALSE(analyse("-fsanitize=undefined -fno-sanitize=undefined x.c").has_other_sanitizer);
  EXPECT_FALSE(analyse("-fsanitize=address -fno-sanitize=all -c x.c").refusal);
  EXPECT_FALSE(analyse("-fsanitize=address,thread -fno-sanitize=address -c x.c").refusal);
}

TEST(CompilerRefusal, NamesTheOptionAndTheWayOut) {
  EXPECT_EQ(analyse("-static x.c").refusal,
            "-static cannot work: Jostle's runtime is a shared library (drop -static)");
  EXPECT_THAT(analyse("x.o -static-pie").refusal.value_or(""), HasSubstr("drop -static-pie"));
  EXPECT_THAT(analyse("x.o -static-libtsan").refusal.value_or(""), HasSubstr("-static-libtsan"));
  for (const std::string name : {"address", "memory", "leak", "hwaddress", "dataflow"}) {
    EXPECT_THAT(analyse("-c x.c -fsanitize=undefined," + name).refusal.value_or(""),
                HasSubstr("-fsanitize=" + name + " cannot work"));
  }
}

TEST(CompilerRefusal, OnlyWhereItMatters) {
  EXPECT_FALSE(analyse("-static -c x.c").refusal);
  EXPECT_FALSE(analyse("-static --version").refusal);
  EXPECT_FALSE(analyse("-static -r x.o").refusal);
  EXPECT_FALSE(analyse("-static-libgcc -static-libstdc++ x.c").refusal);
  EXPECT_FALSE(analyse("-fsanitize=address --version").refusal);
  EXPECT_FALSE(analyse("-o -static x.c").refusal);
  EXPECT_FALSE(analyse("-Wl,-Bstatic -lz -Wl,-Bdynamic x.o").refusal);
}

TEST(CompilerFamily, IsReadFromTheName) {
  using enum CompilerFamily;
  EXPECT_EQ(compiler_family_by_name({"gcc"}), gcc);
  EXPECT_EQ(compiler_family_by_name({"/usr/bin/aarch64-linux-gnu-g++-12"}), gcc);
  EXPECT_EQ(compiler_family_by_name({"clang++"}), clang);
  EXPECT_EQ(compiler_family_by_name({"/opt/gcc/bin/clang-14"}), clang);
  EXPECT_EQ(compiler_family_by_name({"ccache", "clang++-14", "-m64"}), clang);
  EXPECT_EQ(compiler_family_by_name({"ccache", "g++", "--clang-like"}), gcc);
  EXPECT_EQ(compiler_family_by_name({"cc"}), std::nullopt);
  EXPECT_EQ(compiler_family_by_name({"/opt/clang/bin/c++"}), std::nullopt);
}

Words command(CompilerFamily family, std::string_view line) {
  const Words args = split_words(line);
  return compiler_command({"compiler"}, family, analyse_compiler_call(args), args, "/j/lib", {});
}

Words command_with_headers(CompilerFamily family, std::string_view line) {
  const Words args = split_words(line);
  return compiler_command({"compiler"}, family, analyse_compiler_call(args), args, "/j/lib",
                          "/j/lib/jostle/include");
}

bool has_sequence(const Words& words, const Words& part) {
  return std::search(words.begin(), words.end(), part.begin(), part.end()) != words.end();
}

const Words kLibrary{"-Xlinker", "--push-state",        "-Xlinker", "--no-as-needed",
                     "-Xlinker", "/j/lib/libjostle.so", "-Xlinker", "--pop-state"};
const Words kRunPath{"-Xlinker", "-rpath", "-Xlinker", "/j/lib"};

TEST(CompilerCommand, OfAQueryIsUntouched) {
  for (const auto family : {CompilerFamily::gcc, CompilerFamily::clang}) {
    EXPECT_THAT(command(family, "--version"), ElementsAre("compiler", "--version"));
    EXPECT_THAT(command(family, ""), ElementsAre("compiler"));
    EXPECT_THAT(command(family, "x.c -o"), ElementsAre("compiler", "x.c", "-o"));
  }
}

Words with_gcc_options() {
  Words result{"compiler", "-fsanitize=thread"};
  std::istringstream options(kGccOptions);
  for (std::string word; options >> word;) result.push_back(word);
  result.push_back("--param=tsan-distinguish-volatile=1");
  return result;
}

TEST(CompilerCommand, OfCompilingAddsNoLinkerWords) {
  Words gcc = with_gcc_options();
  EXPECT_THAT(gcc, Contains("-fno-builtin-memcpy"));
  gcc.insert(gcc.end(), {"-c", "x.c"});
  EXPECT_EQ(command(CompilerFamily::gcc, "-c x.c"), gcc);
  EXPECT_THAT(
      command(CompilerFamily::clang, "-c x.c"),
      ElementsAre("compiler", "-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write=1",
                  "-mllvm", "-disable-licm-promotion", "-mllvm", "-sink-common-insts=false",
                  "-mllvm", "-tsan-distinguish-volatile=1", "-c", "x.c"));
}

TEST(CompilerCommand, OfCompilingKnowsOurHeaders) {
  const Words option{"-isystem", "/j/lib/jostle/include", "-isystem",
                     "/j/lib/jostle/include/jostle/libstdcxx"};
  for (const auto family : {CompilerFamily::gcc, CompilerFamily::clang}) {
    for (const char* line : {"-c x.c", "-E x.c", "x.cc -o x", "-M x.cc"}) {
      EXPECT_TRUE(has_sequence(command_with_headers(family, line), option)) << line;
    }
    // clang warns about an option that it does not use.
    for (const char* line : {"x.o -o x", "-c x.s", "--version", "-shared x.o"}) {
      EXPECT_FALSE(has_sequence(command_with_headers(family, line), option)) << line;
    }
  }
}

TEST(CompilerCommand, OfClangDoesNotRepeatOptions) {
  EXPECT_THAT(command(CompilerFamily::clang, "-mllvm -tsan-instrument-read-before-write=0 -c x.c"),
              Not(Contains("-tsan-instrument-read-before-write=1")));
  EXPECT_THAT(command(CompilerFamily::clang, "-mllvm -tsan-distinguish-volatile=0 -c x.c"),
              Not(Contains("-tsan-distinguish-volatile=1")));
  for (const char* line :
       {"-mllvm --disable-licm-promotion=false -c x.c", "-mllvm=-disable-licm-promotion -c x.c"}) {
    const Words words = command(CompilerFamily::clang, line);
    EXPECT_FALSE(has_sequence(words, {"-mllvm", "-disable-licm-promotion"})) << line;
    EXPECT_TRUE(has_sequence(words, {"-mllvm", "-sink-common-insts=false"})) << line;
  }
}

// clang warns about what it does not use, and -Werror is common.
TEST(CompilerCommand, OfClangAddsNothingForTheAssembler) {
  EXPECT_THAT(command(CompilerFamily::clang, "-c x.s"), ElementsAre("compiler", "-c", "x.s"));
}

TEST(CompilerCommand, OfGccLinkHasOurLibraryFirstAndOurRunPathLast) {
  for (const char* line : {"x.c -o x", "x.o -o x -Wl,-rpath,/user", "-shared x.o"}) {
    const Words words = command(CompilerFamily::gcc, line);
    Words front = with_gcc_options();
    front.push_back("-L/j/lib/jostle/tsan");
    EXPECT_TRUE(std::equal(front.begin(), front.end(), words.begin())) << line;
    EXPECT_TRUE(std::equal(kLibrary.begin(), kLibrary.end(), words.begin() + front.size())) << line;
    EXPECT_TRUE(std::equal(kRunPath.rbegin(), kRunPath.rend(), words.rbegin())) << line;
  }
}

TEST(CompilerCommand, OfClangNeverLetsTheDriverLinkItsRuntime) {
  const Words both = command(CompilerFamily::clang, "x.c");
  EXPECT_THAT(both, Contains("-fno-sanitize-link-runtime"));
  EXPECT_TRUE(has_sequence(both, kLibrary));

  for (const char* line : {"x.o", "-fsanitize=thread x.o", "-fsanitize=thread,undefined x.o"}) {
    const Words link = command(CompilerFamily::clang, line);
    EXPECT_EQ(link.back(), "-fno-sanitize=thread") << line;
    EXPECT_TRUE(has_sequence(link, kLibrary));
    EXPECT_TRUE(has_sequence(link, kRunPath));
  }

  const Words with_other = command(CompilerFamily::clang, "-fsanitize=undefined x.c");
  EXPECT_TRUE(has_sequence(with_other, {"-Xclang", "-fsanitize=thread"}));
  EXPECT_EQ(with_other.back(), "-fno-sanitize=thread");
  EXPECT_THAT(with_other, Not(Contains("-fno-sanitize-link-runtime")));

  const Words relocate = command(CompilerFamily::clang, "-r x.c");
  EXPECT_THAT(relocate, Contains("-fno-sanitize-link-runtime"));
  EXPECT_FALSE(has_sequence(relocate, kLibrary));
}

TEST(CompilerCommand, OfClangKeepsCodeFreeOfHooksWhereTheUserSaysSo) {
  const Words words =
      command(CompilerFamily::clang, "-fsanitize=undefined -fno-sanitize=thread x.c");
  EXPECT_FALSE(has_sequence(words, {"-Xclang", "-fsanitize=thread"}));
  EXPECT_TRUE(has_sequence(words, kLibrary));
}

class CompilerLibraryDirTest : public testing::Test {
 protected:
  CompilerLibraryDirTest()
      : prefix_(fs::temp_directory_path() / ("jostle-unit-" + std::to_string(getpid()))) {}
  ~CompilerLibraryDirTest() override { fs::remove_all(prefix_); }

  void add(const fs::path& file) const {
    fs::create_directories((prefix_ / file).parent_path());
    std::ofstream(prefix_ / file) << "x";
  }

  fs::path prefix_;
};

TEST_F(CompilerLibraryDirTest, IsFoundBesideTheCommand) {
  EXPECT_EQ(find_library_dir(prefix_ / "bin/jostle"), std::nullopt);
  add("lib64/libjostle.so");
  EXPECT_EQ(find_library_dir(prefix_ / "bin/jostle"), std::nullopt) << "without libtsan.so";
  add("lib64/jostle/tsan/libtsan.so");
  EXPECT_EQ(find_library_dir(prefix_ / "bin/jostle"), prefix_ / "lib64");
  add("lib/libjostle.so");
  add("lib/jostle/tsan/libtsan.so");
  EXPECT_EQ(find_library_dir(prefix_ / "bin/jostle"), prefix_ / "lib");
}

TEST_F(CompilerLibraryDirTest, HasTheHeadersBesideIt) {
  EXPECT_EQ(find_include_dir(prefix_ / "lib"), std::nullopt);
  add("lib/jostle/include/jostle/jostle.h");
  EXPECT_EQ(find_include_dir(prefix_ / "lib"), prefix_ / "lib/jostle/include");
}

}  // namespace
}  // namespace jostle::cli
