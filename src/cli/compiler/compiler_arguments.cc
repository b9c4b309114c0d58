// SPDX-License-Identifier: Apache-2.0
#include "src/cli/compiler/compiler_arguments.h"

#include <algorithm>

namespace jostle::cli {
namespace {

// Lists are plain text, words between single spaces: short to read and to extend.
bool has_word(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  for (size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

// Options whose value is the next word. Those that also take it joined (-Idir) stand here as well:
// only the exact word takes the next one.
constexpr std::string_view kTakesNext =
    "-A -B -D -F -G -I -L -MF -MJ -MQ -MT -T -Tbss -Tdata -Ttext -U -Xanalyzer -Xassembler -Xclang "
    "-Xlinker -Xopenmp-target -Xpreprocessor -arch -aux-info -dumpbase -dumpbase-ext -dumpdir -e "
    "-ftrapv-handler -gcc-toolchain -idirafter -imacros -imultiarch -imultilib -include "
    "-include-pch -iprefix -iquote -isysroot -isystem -ivfsoverlay -iwithprefix "
    "-iwithprefixbefore -l -mllvm -mthread-model -o -resource-dir -rpath -serialize-diagnostics "
    "-specs -target -u -working-directory -wrapper -x -z --config --define-macro --entry --imacros "
    "--include --include-directory --language --library-directory --output --param --specs "
    "--sysroot --undefine-macro";

// The compiler ends before the linker.
constexpr std::string_view kStopsEarly =
    "-c -S -E -M -MM -fsyntax-only --compile --assemble --preprocess --dependencies "
    "--user-dependencies --syntax-only --precompile --analyze -emit-ast -emit-pch -verify-pch "
    "-rewrite-objc -module-file-info";

// An object file comes out of the linker: nothing is bound to a library yet.
constexpr std::string_view kRelocatable = "-r -i --relocatable";

// The compiler says something about itself, whatever else is on the line.
constexpr std::string_view kQueries =
    "--version --help --target-help -dumpversion -dumpfullversion -dumpmachine -dumpspecs -cc1 "
    "-cc1as";

constexpr std::string_view kStaticLinks = "-static --static -static-pie -static-libtsan";

// Sanitizers that bring a runtime of their own, with its own idea of memory or of libc's functions.
constexpr std::string_view kForeignSanitizers =
    "address kernel-address hwaddress kernel-hwaddress leak memory kernel-memory dataflow "
    "safe-stack scudo memtag memtag-stack memtag-heap memtag-globals numerical realtime type";

constexpr std::string_view kHeaderExtensions = "h hh H hp hxx hpp HPP h++ tcc";

constexpr std::string_view kSourceExtensions =
    "c i ii m mi M mm mii cc cp cxx cpp CPP c++ C S sx cppm ccm cxxm c++m ixx ll bc cu hip cl "
    "f for ftn F FOR fpp FPP FTN f90 f95 f03 f08 F90 F95 F03 F08 go d di ads adb";

enum class Input { source, assembly, header, linker };

Input input_of_language(std::string_view language) {
  if (language.ends_with("-header")) return Input::header;
  return language == "assembler" ? Input::assembly : Input::source;
}

Input input_of_file(std::string_view name) {
  if (name == "-") return Input::source;
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const size_t dot = name.rfind('.');
  const std::string_view extension =
      dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
  if (has_word(kHeaderExtensions, extension)) return Input::header;
  if (has_word(kSourceExtensions, extension)) return Input::source;
  return extension == "s" ? Input::assembly : Input::linker;
}

template <typename Visit>
void for_each_item(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    visit(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string refuse_static(const std::string& option) {
  return option + " cannot work: Jostle's runtime is a shared library (drop " + option + ")";
}

std::string refuse_sanitizer(const std::string& option) {
  return option + " cannot work: its runtime and Jostle's exclude each other (drop " + option +
         ", or build a second time without jostle)";
}

// Walks over the words once and collects what matters; `result` draws the conclusions.
class Reader {
 public:
  void read(const std::vector<std::string>& args) {
    for (size_t i = 0; i < args.size(); ++i) {
      const std::string_view arg = args[i];
      if (arg.size() < 2 || arg[0] != '-') {
        add_input(arg);
      } else if (has_word(kTakesNext, arg) || arg.starts_with("-Xarch_")) {
        incomplete_ = i + 1 == args.size();
        if (!incomplete_) add_option_with_value(arg, args[++i]);
      } else {
        add_option(arg);
      }
    }
  }

  CompilerCall result() const {
    CompilerCall call;
    call.passes_through = query_ || incomplete_ || !(source_ || header_ || assembly_ || linker_);
    if (call.passes_through) return call;
    call.compiles = source_ || header_;
    // A precompiled header is all there is to make of a header.
    call.runs_linker = !stops_early_ && (source_ || assembly_ || linker_);
    call.links = call.runs_linker && !relocatable_;
    call.instruments = instruments_;
    call.has_other_sanitizer = !sanitizers_.empty();
    call.llvm_options = llvm_options_;
    call.refusal = refusal(call);
    return call;
  }

 private:
  void add_input(std::string_view name) {
    switch (language_.empty() ? input_of_file(name) : input_of_language(language_)) {
      case Input::source:
        source_ = true;
        break;
      case Input::assembly:
        assembly_ = true;
        break;
      case Input::header:
        header_ = true;
        break;
      case Input::linker:
        linker_ = true;
        break;
    }
  }

  void add_option_with_value(std::string_view option, std::string_view value) {
    if (option == "-x" || option == "--language") set_language(value);
    if (option == "-l") linker_ = true;
    if (option == "-Xlinker") add_linker_word(value);
    if (option == "-mllvm") add_llvm_option(value);
  }

  void add_option(std::string_view arg) {
    if (has_word(kStopsEarly, arg)) stops_early_ = true;
    if (has_word(kRelocatable, arg)) relocatable_ = true;
    if (has_word(kQueries, arg) || arg.starts_with("--help=") || arg.starts_with("-print-") ||
        arg.starts_with("--print-")) {
      query_ = true;
    }
    if (has_word(kStaticLinks, arg)) static_link_ = arg;
    if (take_prefix(arg, "-fsanitize=")) {
      for_each_item(arg, [&](std::string_view name) { add_sanitizer(name); });
    } else if (take_prefix(arg, "-fno-sanitize=")) {
      for_each_item(arg, [&](std::string_view name) { remove_sanitizer(name); });
    } else if (take_prefix(arg, "-Wl,")) {
      for_each_item(arg, [&](std::string_view word) { add_linker_word(word); });
    } else if (take_prefix(arg, "--language=") || take_prefix(arg, "-x")) {
      set_language(arg);
    } else if (take_prefix(arg, "-mllvm=")) {
      add_llvm_option(arg);
    } else if (arg.starts_with("-l")) {
      linker_ = true;
    }
  }

  void set_language(std::string_view language) {
    language_ = language == "none" ? std::string_view{} : language;
  }

  void add_linker_word(std::string_view word) {
    if (has_word(kRelocatable, word)) relocatable_ = true;
    if (!word.starts_with('-')) linker_ = true;  // -Wl,libwhole.a
  }

  void add_llvm_option(std::string_view option) {
    llvm_options_.emplace_back(llvm_option_name(option));
  }

  void add_sanitizer(std::string_view name) {
    if (name == "thread") {
      instruments_ = true;
    } else {
      sanitizers_.push_back(name);
    }
  }

  void remove_sanitizer(std::string_view name) {
    if (name == "thread" || name == "all") instruments_ = false;
    if (name == "all") {
      sanitizers_.clear();
    } else {
      std::erase(sanitizers_, name);
    }
  }

  std::optional<std::string> refusal(const CompilerCall& call) const {
    if (call.links && !static_link_.empty()) return refuse_static(std::string(static_link_));
    const auto foreign =
        std::find_if(sanitizers_.begin(), sanitizers_.end(),
                     [](std::string_view name) { return has_word(kForeignSanitizers, name); });
    if (foreign == sanitizers_.end()) return std::nullopt;
    return refuse_sanitizer("-fsanitize=" + std::string(*foreign));
  }

  std::string_view language_;  // of -x; empty: by extension
  std::string_view static_link_;
  std::vector<std::string_view> sanitizers_;  // in force, without thread
  bool source_ = false;
  bool assembly_ = false;
  bool header_ = false;
  bool linker_ = false;
  bool query_ = false;
  bool incomplete_ = false;
  bool stops_early_ = false;
  bool relocatable_ = false;
  bool instruments_ = true;
  std::vector<std::string> llvm_options_;
};

}  // namespace

CompilerCall analyse_compiler_call(const std::vector<std::string>& args) {
  Reader reader;
  reader.read(args);
  return reader.result();
}

}  // namespace jostle::cli
