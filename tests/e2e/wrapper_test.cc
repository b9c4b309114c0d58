// SPDX-License-Identifier: Apache-2.0
// `jostle cc` and `jostle c++` with real compilers: what comes out is instrumented, bound to our
// library and nothing else, and everything a build system asks of a compiler still works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/elf.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;

constexpr const char* kMain = "int shared; int main(void) { shared++; return shared - 1; }\n";

class WrapperTest : public testing::TestWithParam<Compiler> {
 protected:
  RunOptions options(std::string input = {}) const {
    return {.input = std::move(input),
            .env = {{"JOSTLE_CC", GetParam().c}, {"JOSTLE_CXX", GetParam().cxx}},
            .cwd = dir_.path()};
  }

  Result cc(Words args, std::string input = {}) const {
    args.insert(args.begin(), "cc");
    return jostle(std::move(args), options(std::move(input)));
  }

  Result cxx(Words args) const {
    args.insert(args.begin(), "c++");
    return jostle(std::move(args), options());
  }

  // Whether this installation can do it without us: runtimes and linkers are packages of their own.
  bool compiler_can(Words flags) const {
    dir_.write("trial.c", kMain);
    flags.insert(flags.begin(), {GetParam().c, "trial.c", "-o", "trial"});
    return run(flags, options()).ok();
  }

  bool clang() const { return GetParam().name == "clang"; }
  std::string file(std::string_view name) const { return dir_.file(name); }
  bool exists(std::string_view name) const { return fs::exists(dir_.path() / name); }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(All, WrapperTest, testing::ValuesIn(compilers()),
                         [](const auto& info) { return info.param.name; });

constexpr const char* kCounter = R"(
#include <atomic>
#include <cstdio>
#include <thread>
struct Base { virtual ~Base() {} virtual int step() { return 1; } };
struct Derived : Base { int step() override { return 2; } };
std::atomic<int> hits;
int total;
int main() {
  Base* base = new Derived;
  std::thread other([&] { hits++; total += base->step(); std::atomic_thread_fence(std::memory_order_seq_cst); });
  other.join();
  delete base;
#if defined(__SANITIZE_THREAD__)
  std::printf("thread sanitizer ");
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  std::printf("thread sanitizer ");
#endif
#endif
  std::printf("%d %d\n", total, hits.load());
}
)";

TEST_P(WrapperTest, CompilesAndLinksInOneCall) {
  dir_.write("counter.cc", kCounter);
  for (const char* level : {"-O0", "-O2"}) {
    const Result built = cxx({"-Wall", "-Werror", level, "counter.cc", "-o", "counter"});
    ASSERT_TRUE(built.ok()) << built;
    EXPECT_EQ(built.err, "");
    expect_bound_to_jostle(file("counter"));
    EXPECT_THAT(
        hooks(file("counter")),
        AllOf(Contains("__tsan_func_entry"), Contains("__tsan_func_exit"), Contains("__tsan_read4"),
              Contains("__tsan_write4"), Contains("__tsan_atomic32_fetch_add"),
              Contains("__tsan_vptr_update"), Contains("__tsan_atomic_thread_fence")));
    const Result ran = run({file("counter")});
    EXPECT_TRUE(ran.ok()) << ran;
    EXPECT_EQ(ran.out, "thread sanitizer 2 1\n");
  }
}

TEST_P(WrapperTest, CompilesAndLinksInTwoCalls) {
  dir_.write("counter.cc", kCounter);
  ASSERT_TRUE(cxx({"-c", "counter.cc"}).ok());
  EXPECT_THAT(hooks(file("counter.o")), Contains("__tsan_write4"));
  // With and without what a sanitizer user has in LDFLAGS.
  for (const Words& extra : std::vector<Words>{{}, {"-fsanitize=thread"}}) {
    Words args{"-o", "counter", "counter.o"};
    args.insert(args.end(), extra.begin(), extra.end());
    const Result linked = cxx(args);
    ASSERT_TRUE(linked.ok()) << linked;
    EXPECT_EQ(linked.err, "");
    expect_bound_to_jostle(file("counter"));
    EXPECT_EQ(run({file("counter")}).out, "thread sanitizer 2 1\n");
  }
}

// `counter++` is a read and a write: clang drops the hook of the read unless told otherwise.
TEST_P(WrapperTest, SeesTheReadBeforeAWrite) {
  dir_.write("x.c", "int shared; void f(void) { shared++; }\n");
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    ASSERT_TRUE(cc({"-c", level, "x.c"}).ok());
    EXPECT_THAT(hooks(file("x.o")), AllOf(Contains("__tsan_read4"), Contains("__tsan_write4")));
  }
}

TEST_P(WrapperTest, LinksWithAndWithoutPie) {
  dir_.write("counter.cc", kCounter);
  for (const Words& flags : std::vector<Words>{{"-fPIE", "-pie"}, {"-fno-pie", "-no-pie"}}) {
    const Result built = cxx({"-Werror", flags[0], flags[1], "counter.cc", "-o", "counter"});
    ASSERT_TRUE(built.ok()) << built;
    expect_bound_to_jostle(file("counter"));
    EXPECT_EQ(run({file("counter")}).out, "thread sanitizer 2 1\n");
  }
}

TEST_P(WrapperTest, LibraryStaysThoughNothingRefersToIt) {
  dir_.write("plain.c", "int main(void) { return 0; }\n");
  ASSERT_TRUE(run({"gcc", "-c", "plain.c"}, options()).ok());
  const Result linked = cc({"-Wl,--as-needed", "plain.o", "-o", "plain"});
  ASSERT_TRUE(linked.ok()) << linked;
  expect_bound_to_jostle(file("plain"));
  EXPECT_TRUE(run({file("plain")}).ok());
}

TEST_P(WrapperTest, UsersRunPathComesFirst) {
  dir_.write("x.c", kMain);
  ASSERT_TRUE(cc({"x.c", "-Wl,-rpath,/users/own", "-o", "x"}).ok());
  const Words paths = dynamic_entries(file("x"), "RUNPATH");
  ASSERT_EQ(paths.size(), 1);
  EXPECT_THAT(paths[0], AllOf(StartsWith("/users/own:"), HasSubstr(JOSTLE_BUILD_DIR)));
}

TEST_P(WrapperTest, OtherLinkers) {
  dir_.write("x.c", kMain);
  for (const std::string linker : {"gold", "lld"}) {
    if (!run({"ld." + linker, "--version"}).ok()) continue;
    const Result built = cc({"-fuse-ld=" + linker, "x.c", "-o", "x", "-Wl,--as-needed"});
    ASSERT_TRUE(built.ok()) << built;
    expect_bound_to_jostle(file("x"));
    EXPECT_TRUE(run({file("x")}).ok());
  }
}

TEST_P(WrapperTest, LinkTimeOptimisationKeepsTheHooks) {
  const std::string linker = clang() ? "-fuse-ld=lld" : "-fuse-ld=bfd";
  if (!compiler_can({"-flto", linker})) GTEST_SKIP() << "no -flto " << linker << " here";
  dir_.write("x.c", kMain);
  ASSERT_TRUE(cc({"-flto", "-O1", "-c", "x.c"}).ok());
  const Result built = cc({"-flto", "-O1", linker, "x.o", "-o", "x"});
  ASSERT_TRUE(built.ok()) << built;
  expect_bound_to_jostle(file("x"));
  EXPECT_THAT(hooks(file("x")), Contains("__tsan_write4"));
  EXPECT_TRUE(cc({"-flto", "-O1", linker, "x.c", "-o", "y"}).ok());
  EXPECT_THAT(hooks(file("y")), Contains("__tsan_write4"));
}

TEST_P(WrapperTest, SharedLibraries) {
  dir_.write("lib.cc",
             "#include <mutex>\nint n; std::mutex m;\n"
             "int next() { std::lock_guard<std::mutex> lock(m); return ++n; }\n");
  dir_.write("main.cc", "int next(); int main() { return next() - 1; }\n");
  const Result library =
      cxx({"-shared", "-fPIC", "-Wl,-z,defs", "-Wl,--as-needed", "lib.cc", "-o", "libnext.so"});
  ASSERT_TRUE(library.ok()) << library;
  EXPECT_THAT(hooks(file("libnext.so")), Contains("__tsan_write4"));
  EXPECT_THAT(dynamic_entries(file("libnext.so"), "NEEDED"), Contains("libjostle.so"));
  const Result program = cxx({"main.cc", "-L.", "-lnext", "-Wl,-rpath,$ORIGIN", "-o", "main"});
  ASSERT_TRUE(program.ok()) << program;
  expect_bound_to_jostle(file("main"));
  EXPECT_TRUE(run({file("main")}).ok());
}

// As libtool links C++ libraries: it names the start files and libraries itself.
TEST_P(WrapperTest, SharedLibraryWithoutStandardLibraries) {
  dir_.write("lib.c", "int n; int next(void) { return ++n; }\n");
  const Result built =
      cc({"-shared", "-nostdlib", "-fPIC", "lib.c", "-lc", "-Wl,-z,defs", "-o", "libnext.so"});
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_THAT(dynamic_entries(file("libnext.so"), "NEEDED"), Contains("libjostle.so"));
}

TEST_P(WrapperTest, RelocatableOutputIsAnObjectFile) {
  dir_.write("a.c", "int a; void f(void) { a++; }\n");
  dir_.write("b.c", "void f(void); int main(void) { f(); return 0; }\n");
  const Result merged = cc({"-r", "a.c", "b.c", "-o", "ab.o"});
  ASSERT_TRUE(merged.ok()) << merged;
  EXPECT_THAT(run({"nm", "--defined-only", file("ab.o")}).out, Not(HasSubstr(" T __tsan_")));
  ASSERT_TRUE(cc({"ab.o", "-o", "ab"}).ok());
  expect_bound_to_jostle(file("ab"));
}

TEST_P(WrapperTest, PreprocessesAsItCompiles) {
  dir_.write("x.c",
             "#if defined(__SANITIZE_THREAD__)\nyes\n#elif defined(__has_feature)\n"
             "#if __has_feature(thread_sanitizer)\nyes\n#endif\n#endif\n");
  const Result preprocessed = cc({"-E", "-P", "x.c"});
  EXPECT_TRUE(preprocessed.ok());
  EXPECT_EQ(preprocessed.err, "");
  EXPECT_THAT(preprocessed.out, HasSubstr("yes"));
}

TEST_P(WrapperTest, WritesDependencies) {
  dir_.write("x.c", "#include \"x.h\"\nint main(void) { return X; }\n");
  dir_.write("x.h", "#define X 0\n");
  for (const char* option : {"-M", "-MM"}) {
    const Result printed = cc({option, "x.c"});
    EXPECT_THAT(printed.out, AllOf(StartsWith("x.o:"), HasSubstr("x.h"))) << printed;
  }
  ASSERT_TRUE(cc({"-MMD", "-MP", "-MF", "deps", "-MT", "goal", "-c", "x.c", "-o", "x.o"}).ok());
  EXPECT_THAT(read_file(dir_.path() / "deps"),
              AllOf(StartsWith("goal: x.c x.h"), HasSubstr("x.h:")));
  ASSERT_TRUE(cc({"-MD", "x.c", "-o", "x"}).ok());
  EXPECT_TRUE(run({file("x")}).ok());
}

TEST_P(WrapperTest, StopsWhereTold) {
  dir_.write("x.c", kMain);
  ASSERT_TRUE(cc({"-S", "x.c"}).ok());
  EXPECT_THAT(read_file(dir_.path() / "x.s"), HasSubstr("__tsan_write4"));
  const Result checked = cc({"-Werror", "-fsyntax-only", "x.c"});
  EXPECT_TRUE(checked.ok()) << checked;
  EXPECT_FALSE(exists("a.out"));
}

TEST_P(WrapperTest, AssemblesQuietly) {
  dir_.write("a.s", "        .text\n        .globl f\nf:      ret\n");
  dir_.write("b.S", "#define NAME g\n        .text\n        .globl NAME\nNAME:   ret\n");
  for (const char* source : {"a.s", "b.S"}) {
    const Result built = cc({"-Werror", "-c", source});
    EXPECT_TRUE(built.ok()) << built;
    EXPECT_EQ(built.err, "");
  }
  dir_.write("main.c", "void f(void); void g(void); int main(void) { f(); g(); return 0; }\n");
  const Result linked = cc({"main.c", "a.s", "b.o", "-o", "main"});
  ASSERT_TRUE(linked.ok()) << linked;
  EXPECT_TRUE(run({file("main")}).ok());
}

TEST_P(WrapperTest, LanguageByOption) {
  const Result piped = cc({"-x", "c", "-", "-o", "piped"}, kMain);
  ASSERT_TRUE(piped.ok()) << piped;
  EXPECT_TRUE(run({file("piped")}).ok());

  dir_.write("source", "extern int other; int main(void) { return other; }\n");
  dir_.write("other.c", "int other;\n");
  ASSERT_TRUE(cc({"-c", "other.c"}).ok());
  const Result mixed = cc({"-o", "mixed", "-xc", "source", "-x", "none", "other.o"});
  ASSERT_TRUE(mixed.ok()) << mixed;
  EXPECT_TRUE(run({file("mixed")}).ok());
}

TEST_P(WrapperTest, PrecompiledHeaders) {
  dir_.write("all.h", "#include <vector>\n");
  dir_.write("x.cc", "#include \"all.h\"\nint main() { std::vector<int> v(1); return v[0]; }\n");
  const std::string output = clang() ? "all.h.pch" : "all.h.gch";
  const Result header = cxx({"all.h", "-o", output});
  ASSERT_TRUE(header.ok()) << header;
  EXPECT_TRUE(exists(output));
  const Result built = cxx({"-Winvalid-pch", "-Werror", "-include", "all.h", "x.cc", "-o", "x"});
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_TRUE(run({file("x")}).ok());
}

TEST_P(WrapperTest, ResponseFiles) {
  dir_.write("my file.c", kMain);
  dir_.write("outer.rsp", "-O1 @inner.rsp\n");
  dir_.write("inner.rsp", "-c 'my file.c'\n-o my\\ file.o");
  const Result compiled = cc({"@outer.rsp"});
  ASSERT_TRUE(compiled.ok()) << compiled;
  EXPECT_THAT(hooks(file("my file.o")), Contains("__tsan_write4"));
  dir_.write("link.rsp", "\"my file.o\" -o linked");
  ASSERT_TRUE(cc({"@link.rsp"}).ok());
  expect_bound_to_jostle(file("linked"));

  // A pipe can be read only once.
  const Result piped =
      run({"bash", "-c", "'" + jostle_bin() + "' cc @<(echo -c \"'my file.c'\" -o piped.o)"},
          options());
  ASSERT_TRUE(piped.ok()) << piped;
  EXPECT_THAT(hooks(file("piped.o")), Contains("__tsan_write4"));
}

TEST_P(WrapperTest, MixedInputs) {
  dir_.write("a.c", "int a(void) { return 1; }\n");
  dir_.write("b.cc", "extern \"C\" int b() { return 2; }\n");
  dir_.write("c.c", "int c(void) { return 3; }\n");
  dir_.write("main.c",
             "int a(void), b(void), c(void); int main(void) { return a() + b() + c() - 6; }\n");
  ASSERT_TRUE(cc({"-c", "a.c", "b.cc"}).ok());
  ASSERT_TRUE(run({"ar", "rcs", "liba.a", "a.o"}, options()).ok());
  const Result built = cc({"main.c", "-o", "main", "b.o", "c.c", "-L.", "-l", "a"});
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_TRUE(run({file("main")}).ok());
}

TEST_P(WrapperTest, UndefinedBehaviourSanitizerWorksBeside) {
  if (!compiler_can({"-fsanitize=undefined"})) GTEST_SKIP() << "no -fsanitize=undefined here";
  dir_.write("x.cc", "#include <climits>\nint big = INT_MAX; int main() { return ++big == 0; }\n");
  for (const std::string option : {"-fsanitize=undefined", "-fsanitize=thread,undefined"}) {
    const Result built = cxx({option, "x.cc", "-o", "x"});
    ASSERT_TRUE(built.ok()) << built;
    expect_bound_to_jostle(file("x"));
    EXPECT_THAT(hooks(file("x")), Contains("__tsan_write4"));
    EXPECT_THAT(run({file("x")}).err, HasSubstr("signed integer overflow"));
    ASSERT_TRUE(cxx({option, "-c", "x.cc"}).ok());
    const Result linked = cxx({option, "x.o", "-o", "x"});
    ASSERT_TRUE(linked.ok()) << linked;
    expect_bound_to_jostle(file("x"));
  }
}

TEST_P(WrapperTest, InstrumentationCanBeSwitchedOff) {
  dir_.write("x.c", kMain);
  for (const char* option : {"-fno-sanitize=all", "-fno-sanitize=thread"}) {
    const Result built = cc({"-Werror", option, "x.c", "-o", "x"});
    ASSERT_TRUE(built.ok()) << built;
    expect_bound_to_jostle(file("x"));
    ASSERT_TRUE(cc({option, "-c", "x.c"}).ok());
    EXPECT_THAT(hooks(file("x.o")), IsEmpty());
  }
}

TEST_P(WrapperTest, StaticLanguageRuntimes) {
  dir_.write("counter.cc", kCounter);
  const Result built = cxx({"-static-libgcc", "-static-libstdc++", "counter.cc", "-o", "counter"});
  ASSERT_TRUE(built.ok()) << built;
  expect_bound_to_jostle(file("counter"));
  EXPECT_EQ(run({file("counter")}).out, "thread sanitizer 2 1\n");
}

TEST_P(WrapperTest, RefusesWhatCannotWork) {
  dir_.write("x.c", kMain);
  for (const std::string option :
       {"-static", "-static-pie", "-fsanitize=address", "-fsanitize=memory", "-fsanitize=leak"}) {
    const Result refused = cc({"x.c", option, "-o", "x"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, AllOf(StartsWith("jostle: " + option + " cannot work: "),
                                   HasSubstr("(drop " + option)));
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_FALSE(exists("x"));
  }
}

TEST_P(WrapperTest, QueriesAreAnsweredByTheCompilerAlone) {
  for (const Words& query : std::vector<Words>{{"--version"},
                                               {"-dumpversion"},
                                               {"-dumpmachine"},
                                               {"-print-search-dirs"},
                                               {"-print-prog-name=ld"},
                                               {"-print-file-name=libc.so"},
                                               {"-v"},
                                               {"-###"},
                                               {"--help"},
                                               {"-Wl,--version"},
                                               {},
                                               {"-O2"},
                                               {"-c", "missing.c", "-o"}}) {
    Words direct{GetParam().c};
    direct.insert(direct.end(), query.begin(), query.end());
    const Result expected = run(direct, options());
    const Result actual = cc(query);
    EXPECT_EQ(actual.exit_code, expected.exit_code) << testing::PrintToString(query);
    EXPECT_EQ(actual.out, expected.out) << testing::PrintToString(query);
    // -Wl,--version shows a temporary file.
    if (query != Words{"-Wl,--version"}) {
      EXPECT_EQ(actual.err, expected.err);
    }
  }
}

TEST_P(WrapperTest, CompileErrorsAreTheCompilers) {
  dir_.write("x.c", "int main(void) { return oops; }\n");
  const Result failed = cc({"x.c"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("x.c:1:"));
}

TEST_P(WrapperTest, ReachedByItsOtherNames) {
  dir_.write("x.c", kMain);
  const fs::path bin = fs::path(jostle_bin()).parent_path();
  ASSERT_TRUE(run({bin / "jostle-cc", "x.c", "-o", "c"}, options()).ok());
  expect_bound_to_jostle(file("c"));
  dir_.write("x.cc", "#include <string>\nint main() { return std::string().size(); }\n");
  ASSERT_TRUE(run({bin / "jostle-c++", "x.cc", "-o", "cxx"}, options()).ok());
  expect_bound_to_jostle(file("cxx"));
  EXPECT_THAT(dynamic_entries(file("cxx"), "NEEDED"), Contains(StartsWith("libstdc++")));
}

TEST_P(WrapperTest, CompilerMayBeSeveralWordsAndAnyName) {
  dir_.write("x.c", kMain);
  dir_.write("bin dir/mycc", "#!/bin/sh\nexec " + GetParam().c + " \"$@\"\n");
  fs::permissions(dir_.path() / "bin dir/mycc", fs::perms::owner_all);
  for (const std::string& compiler :
       {"env LC_ALL=C " + GetParam().c, "'" + file("bin dir/mycc") + "' -O1"}) {
    RunOptions changed = options();
    changed.env["JOSTLE_CC"] = compiler;
    const Result built = jostle({"cc", "-Werror", "x.c", "-o", "x"}, changed);
    ASSERT_TRUE(built.ok()) << compiler << built;
    expect_bound_to_jostle(file("x"));
    EXPECT_TRUE(run({file("x")}).ok());
  }
}

TEST(Wrapper, SaysWhenThereIsNoCompiler) {
  const Result result = jostle({"c++", "x.cc"}, {.env = {{"JOSTLE_CXX", "no-such-g++ -O2"}}});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_EQ(result.err,
            "jostle: cannot run no-such-g++: No such file or directory (set JOSTLE_CXX)\n");
}

TEST(Wrapper, DoesNotWrapItself) {
  const Result result = jostle({"cc", "x.c"}, {.env = {{"JOSTLE_CC", "jostle cc"}}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err,
            "jostle: JOSTLE_CC names jostle itself (set it to the compiler, for example gcc)\n");
}

TEST(Wrapper, WithoutItsLibraryCompilesButDoesNotLink) {
  const TempDir dir;
  fs::create_directory(dir.path() / "bin");
  fs::copy_file(jostle_bin(), dir.path() / "bin/jostle");
  dir.write("x.c", kMain);
  const RunOptions here{.cwd = dir.path()};
  EXPECT_TRUE(run({dir.file("bin/jostle"), "cc", "-c", "x.c"}, here).ok());
  const Result link = run({dir.file("bin/jostle"), "cc", "x.o"}, here);
  EXPECT_EQ(link.exit_code, 1);
  EXPECT_THAT(link.err, StartsWith("jostle: cannot find libjostle.so"));
}

// Whole projects that know nothing of Jostle, with nothing but CC and CXX set.
class WrapperProjectTest : public WrapperTest {
 protected:
  std::string project(const std::string& name) const {
    return std::string(JOSTLE_SOURCE_DIR) + "/tests/e2e/projects/" + name;
  }

  RunOptions with_path() const {
    RunOptions changed = options();
    const std::string bin = fs::path(jostle_bin()).parent_path();
    changed.env["PATH"] = bin + ":" + std::getenv("PATH");
    changed.time_limit = 200;
    return changed;
  }
};

INSTANTIATE_TEST_SUITE_P(All, WrapperProjectTest, testing::ValuesIn(compilers()),
                         [](const auto& info) { return info.param.name; });

TEST_P(WrapperProjectTest, CMake) {
  RunOptions environment = with_path();
  environment.env["CC"] = "jostle-cc";
  environment.env["CXX"] = "jostle-c++";
  const Result configured =
      run({"cmake", "-S", project("cmake_project"), "-B", "build"}, environment);
  ASSERT_TRUE(configured.ok()) << configured;
  EXPECT_THAT(configured.out, HasSubstr(clang() ? "compiler identification is Clang"
                                                : "compiler identification is GNU"));
  const Result built = run({"cmake", "--build", "build"}, environment);
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_THAT(built.out + built.err, Not(HasSubstr("warning")));
  const Result tested = run({"ctest", "--test-dir", "build", "--output-on-failure"}, environment);
  EXPECT_TRUE(tested.ok()) << tested;
  EXPECT_THAT(tested.out, HasSubstr("100% tests passed, 0 tests failed out of 3"));
  for (const char* name : {"tool/ledger_tool", "tests/ledger_test", "tests/checksum_test"}) {
    expect_bound_to_jostle(file("build") + "/" + name);
  }
  EXPECT_THAT(hooks(file("build/ledger/libledger.so")), Contains("__tsan_func_entry"));
  EXPECT_THAT(hooks(file("build/checksum/libchecksum.a")), Contains("__tsan_func_entry"));
}

TEST_P(WrapperProjectTest, Make) {
  fs::copy(project("make_project"), dir_.path() / "make", fs::copy_options::recursive);
  const Result built =
      run({"make", "-C", "make", "CC=jostle cc", "CXX=jostle c++", "check"}, with_path());
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_EQ(built.err, "");
  EXPECT_THAT(built.out, HasSubstr("sum 10"));
  for (const char* name : {"tool", "queue_test"}) {
    expect_bound_to_jostle(file("make/build") + "/" + name);
  }
  EXPECT_THAT(hooks(file("make/build/libqueue.so.1")), Contains("__tsan_func_entry"));
  EXPECT_TRUE(exists("make/build/queue/queue.d")) << "dependencies were not written";
}

}  // namespace
}  // namespace jostle::test
