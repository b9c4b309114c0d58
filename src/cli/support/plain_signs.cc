// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/plain_signs.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace jostle::cli {
namespace {

struct Sign {
  std::string_view utf8, ascii;
};
constexpr Sign kSigns[] = {{"…", "..."}, {"→", "->"}, {"·", "-"},
                           {"─", "-"},   {"✗", "x"},  {"│", "|"}};

bool is_set(const char* value) { return value != nullptr && value[0] != '\0'; }

struct PlainStream {
  int descriptor;
  PlainSigns signs = {};
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

ssize_t write_plain(void* cookie, const char* bytes, size_t size) {
  auto& stream = *static_cast<PlainStream*>(cookie);
  return write_all(stream.descriptor, stream.signs.translate({bytes, size}))
             ? static_cast<ssize_t>(size)
             : 0;
}

int close_plain(void* cookie) {
  auto& stream = *static_cast<PlainStream*>(cookie);
  return write_all(stream.descriptor, stream.signs.rest()) ? 0 : EOF;
}

FILE* plain_stream(FILE* original, int mode) {
  auto* cookie = new PlainStream{fileno(original)};  // lives as long as the stream: for ever
  FILE* stream = fopencookie(cookie, "w", {nullptr, write_plain, nullptr, close_plain});
  if (stream == nullptr) return original;
  setvbuf(stream, nullptr, mode, BUFSIZ);
  return stream;
}

}  // namespace

bool wants_ascii(const char* lc_all, const char* lc_ctype, const char* lang) {
  const char* locale = is_set(lc_all) ? lc_all : is_set(lc_ctype) ? lc_ctype : lang;
  if (!is_set(locale)) return false;
  const std::string_view text(locale);
  const size_t dot = text.find('.');
  if (dot == text.npos) return text == "C" || text == "POSIX";
  const std::string encoding(text.substr(dot + 1, text.find('@', dot) - dot - 1));
  return strcasecmp(encoding.c_str(), "UTF-8") != 0 && strcasecmp(encoding.c_str(), "utf8") != 0;
}

std::string PlainSigns::translate(std::string_view piece) {
  const std::string text = begun_ + std::string(piece);
  begun_.clear();
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto* sign =
        std::ranges::find_if(kSigns, [&](const Sign& each) { return rest.starts_with(each.utf8); });
    if (sign != std::end(kSigns)) {
      result += sign->ascii;
      at += sign->utf8.size();
      continue;
    }
    const bool is_begun = std::ranges::any_of(kSigns, [&](const Sign& each) {
      return rest.size() < each.utf8.size() && each.utf8.starts_with(rest);
    });
    if (is_begun) {
      begun_ = rest;
      break;
    }
    result += text[at++];
  }
  return result;
}

std::string PlainSigns::rest() { return std::exchange(begun_, {}); }

void use_plain_signs_if_wanted() {
  if (!wants_ascii(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"))) return;
  stdout = plain_stream(stdout, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  stderr = plain_stream(stderr, _IONBF);
}

int descriptor_of(FILE* stream) {
  const int fd = fileno(stream);
  if (fd >= 0) return fd;
  return stream == stderr ? STDERR_FILENO : STDOUT_FILENO;
}

}  // namespace jostle::cli
