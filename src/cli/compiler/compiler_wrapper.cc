// SPDX-License-Identifier: Apache-2.0
#include "src/cli/compiler/compiler_wrapper.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "src/cli/compiler/compiler_options.h"
#include "src/cli/support/error.h"
#include "src/cli/support/installed_files.h"
#include "src/cli/support/words.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kCannotWork = 1;     // as a compiler ends on a bad option
constexpr int kNotRunnable = 126;  // this and the next as a shell
constexpr int kNoCompiler = 127;

// Reads response files, and remembers whether one was a pipe (`@<(...)`), which the compiler could
// not read a second time.
class ResponseFiles {
 public:
  std::optional<std::string> read(const std::string& path) {
    std::error_code ignored;
    const fs::file_type type = fs::status(path, ignored).type();
    if (type != fs::file_type::regular && type != fs::file_type::fifo) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    used_up_ = used_up_ || type == fs::file_type::fifo;
    return text.str();
  }

  bool used_up() const { return used_up_; }

 private:
  bool used_up_ = false;
};

std::string base_name(const std::string& path) { return fs::path(path).filename(); }

void append_words(Words& words, std::string_view text) {
  for (std::string& word : split_words(text)) words.push_back(std::move(word));
}

// -Xlinker and not -Wl: a path may hold a comma.
void append_to_linker(Words& words, const std::vector<std::string>& linker_words) {
  for (const std::string& word : linker_words) {
    words.push_back("-Xlinker");
    words.push_back(word);
  }
}

void append_gcc_options(Words& words, const CompilerCall& call, const fs::path& library_dir) {
  append_words(words, kInstrumentOption);
  append_words(words, kGccOptions);
  append_words(words, kGccVolatileOption);
  if (call.covers && call.compiles) append_words(words, kGccCoverageOption);
  if (call.links) words.push_back("-L" + (library_dir / "jostle" / "tsan").string());
}

// When another sanitizer's runtime has to be linked, clang's driver must not hear of ours: then it
// is for the compiler proper alone, and taken from the driver at the end of the line.
bool hides_from_driver(const CompilerCall& call) {
  return call.runs_linker && call.has_other_sanitizer;
}

// -mllvm and a word, each pair unless the user sets the same.
void append_llvm_options(Words& words, std::string_view text, const CompilerCall& call) {
  const Words options = split_words(text);
  for (size_t i = 0; i + 1 < options.size(); i += 2) {
    if (std::ranges::count(call.llvm_options, llvm_option_name(options[i + 1])) != 0) continue;
    words.insert(words.end(), {options[i], options[i + 1]});
  }
}

void append_clang_options(Words& words, const CompilerCall& call) {
  if (!call.compiles) return;
  if (!hides_from_driver(call)) {
    append_words(words, kInstrumentOption);
    if (call.runs_linker && call.instruments) append_words(words, kClangNoRuntimeOption);
  } else if (call.instruments) {
    words.push_back("-Xclang");
    append_words(words, kInstrumentOption);
  }
  append_llvm_options(words, kClangOptions, call);
  append_llvm_options(words, kClangVolatileOption, call);
  if (call.covers) append_words(words, kClangCoverageOptions);
}

std::vector<char*> c_strings(const Words& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What the compiler prints for --version; empty when it cannot be run.
std::string version_text(Words compiler) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  compiler.push_back("--version");
  const std::vector<char*> argv = c_strings(compiler);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t n = 0;
  while (failed == 0 && (n = read(ends[0], buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  close(ends[0]);
  if (failed == 0) waitpid(pid, nullptr, 0);
  return text;
}

CompilerFamily compiler_family(const Words& compiler) {
  if (const auto family = compiler_family_by_name(compiler)) return *family;
  const bool clang = version_text(compiler).find("clang") != std::string::npos;
  return clang ? CompilerFamily::clang : CompilerFamily::gcc;
}

struct Choice {
  const char* variable;
  Words compiler;
};

Choice choose_compiler(Language language) {
  const bool c = language == Language::c;
  Choice choice{c ? "JOSTLE_CC" : "JOSTLE_CXX", {}};
  if (const char* value = std::getenv(choice.variable)) choice.compiler = split_words(value);
  if (choice.compiler.empty()) choice.compiler = {c ? "gcc" : "g++"};
  return choice;
}

// CC="jostle cc" in the environment and JOSTLE_CC=$CC would start us for ever.
bool is_jostle(const Words& compiler) {
  const std::string name = base_name(compiler[0]);
  return name == "jostle" || name == "jostle-cc" || name == "jostle-c++";
}

int become(const Words& command, const Choice& choice) {
  const std::vector<char*> argv = c_strings(command);
  execvp(argv[0], argv.data());
  const int error = errno;
  note("cannot run " + command[0] + ": " + std::strerror(error) + " (set " + choice.variable + ")");
  return error == ENOENT ? kNoCompiler : kNotRunnable;
}

int refuse(const std::string& message) {
  note(message);
  return kCannotWork;
}

}  // namespace

std::optional<CompilerFamily> compiler_family_by_name(const std::vector<std::string>& compiler) {
  bool gcc = false;
  for (const std::string& word : compiler) {
    if (word.starts_with('-')) continue;
    const std::string name = base_name(word);
    if (name.find("clang") != std::string::npos) return CompilerFamily::clang;
    gcc = gcc || name.find("gcc") != std::string::npos || name.find("g++") != std::string::npos;
  }
  return gcc ? std::optional(CompilerFamily::gcc) : std::nullopt;
}

std::vector<std::string> compiler_command(std::vector<std::string> compiler, CompilerFamily family,
                                          const CompilerCall& call,
                                          const std::vector<std::string>& args,
                                          const fs::path& library_dir,
                                          const std::optional<fs::path>& include_dir) {
  Words words = std::move(compiler);
  if (!call.passes_through) {
    if (family == CompilerFamily::gcc) {
      append_gcc_options(words, call, library_dir);
    } else {
      append_clang_options(words, call);
    }
    // After the user's own -I folders, whatever the order of the words.
    if (call.compiles && include_dir) {
      words.insert(words.end(), {"-isystem", *include_dir});
      words.insert(words.end(), {"-isystem", *include_dir / kStringHeaders});
    }
    if (call.links) {
      append_to_linker(
          words, {"--push-state", "--no-as-needed", library_dir / "libjostle.so", "--pop-state"});
    }
  }
  words.insert(words.end(), args.begin(), args.end());
  // Last, so that the user's run paths are searched first.
  if (call.links) append_to_linker(words, {"-rpath", library_dir});
  if (family == CompilerFamily::clang && call.runs_linker &&
      (!call.compiles || hides_from_driver(call))) {
    words.push_back("-fno-sanitize=thread");
  }
  return words;
}

int run_compiler(Language language, std::vector<std::string> args) {
  const Choice choice = choose_compiler(language);
  if (is_jostle(choice.compiler)) {
    return refuse(std::string(choice.variable) +
                  " names jostle itself (set it to the compiler, for example " +
                  (language == Language::c ? "gcc)" : "g++)"));
  }
  const char* wanted = std::getenv("JOSTLE_COVERAGE");
  const bool covers = std::erase(args, kCoverageOption) != 0 || (wanted && *wanted);
  ResponseFiles files;
  Words expanded = expand_response_files(args, [&](const auto& path) { return files.read(path); });
  CompilerCall call = analyse_compiler_call(expanded);
  call.covers = covers;
  if (files.used_up()) args = std::move(expanded);
  if (call.refusal) return refuse(*call.refusal);
  fs::path library_dir;
  std::optional<fs::path> include_dir;
  if (call.links || call.compiles) {
    std::error_code error;
    const fs::path command = fs::read_symlink("/proc/self/exe", error);
    const std::optional<fs::path> found = find_library_dir(command);
    if (!found && call.links) {
      return refuse("cannot find libjostle.so for " + command.string() +
                    ": not in ../lib, ../lib64 or ../lib/" + kTriplet + " (install Jostle again)");
    }
    if (found) {
      library_dir = *found;
      include_dir = find_include_dir(library_dir);
    }
  }
  const CompilerFamily family =
      call.passes_through ? CompilerFamily::gcc : compiler_family(choice.compiler);
  return become(compiler_command(choice.compiler, family, call, args, library_dir, include_dir),
                choice);
}

}  // namespace jostle::cli
