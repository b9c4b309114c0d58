// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/buffers/format_arguments.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

namespace jostle::rt {
namespace {

enum class Length { none, tiny, small, large, huge, max, size, difference };

// One conversion of a format, "%-8.3ls".
struct Conversion {
  int letter = 0;
  Length length = Length::none;
  bool dropped = false;    // scanf: "%*d" has no argument
  bool allocates = false;  // scanf: "%ms"
  size_t width = 0;        // 0: none
  size_t most = SIZE_MAX;  // printf: the precision
};

// The arguments of a format, one after the other.
template <typename Char>
class Arguments {
 public:
  Arguments(const Char* format, va_list more) : at_(format) { va_copy(more_, more); }
  ~Arguments() { va_end(more_); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // False at the end, and where it is not understood.
  bool next_printed(Conversion& c) {
    if (!find(c)) return false;
    while (any_of("-+ #0'I")) ++at_;
    if (*at_ == '*') {
      ++at_;
      integer(Length::none);
    } else if (!number(c.width)) {
      return false;
    }
    if (*at_ == '.') {
      ++at_;
      if (*at_ == '*') {
        ++at_;
        const auto given = static_cast<int>(integer(Length::none));
        c.most = given < 0 ? SIZE_MAX : static_cast<size_t>(given);
      } else {
        c.most = 0;
        if (!number(c.most)) return false;
      }
    }
    return end(c);
  }
  bool next_scanned(Conversion& c) {
    if (!find(c)) return false;
    for (; any_of("*'I"); ++at_) c.dropped |= *at_ == '*';
    if (!number(c.width)) return false;
    if (*at_ == 'm') ++at_, c.allocates = true;
    if (!end(c)) return false;
    if (c.letter == '[') skip_set();
    return true;
  }

  template <typename Value>
  Value take() {
    return va_arg(more_, Value);
  }
  uintmax_t integer(Length length) {
    switch (length) {
      case Length::large:
        return take<unsigned long>();
      case Length::huge:
        return take<unsigned long long>();
      case Length::max:
        return take<uintmax_t>();
      case Length::size:
        return take<size_t>();
      case Length::difference:
        return static_cast<uintmax_t>(take<ptrdiff_t>());
      default:
        return take<unsigned>();
    }
  }

 private:
  bool any_of(const char* letters) const {
    return *at_ && *at_ < 128 && strchr(letters, static_cast<int>(*at_));
  }

  // To what follows the next percent sign.
  bool find(Conversion& c) {
    c = {};
    while (*at_ && *at_ != '%') ++at_;
    if (!*at_) return false;
    ++at_;
    return true;
  }
  // A number, if there is one; false for that of an argument.
  bool number(size_t& value) {
    const Char* const begin = at_;
    size_t n = 0;
    for (; *at_ >= '0' && *at_ <= '9'; ++at_) n = n * 10 + static_cast<size_t>(*at_ - '0');
    if (at_ != begin) value = n;
    return *at_ != '$';
  }
  bool end(Conversion& c) {
    const auto twice = [&](Length one, Length two) {
      const Char letter = *at_++;
      if (*at_ != letter) return one;
      ++at_;
      return two;
    };
    switch (*at_) {
      case 'h':
        c.length = twice(Length::small, Length::tiny);
        break;
      case 'l':
        c.length = twice(Length::large, Length::huge);
        break;
      case 'q':
      case 'L':
        ++at_, c.length = Length::huge;
        break;
      case 'j':
        ++at_, c.length = Length::max;
        break;
      case 'Z':
      case 'z':
        ++at_, c.length = Length::size;
        break;
      case 't':
        ++at_, c.length = Length::difference;
        break;
      default:
        break;
    }
    c.letter = static_cast<int>(static_cast<std::make_unsigned_t<Char>>(*at_));
    if (!c.letter) return false;
    ++at_;
    return true;
  }
  // "[^]a-z]", behind its bracket.
  void skip_set() {
    if (*at_ == '^') ++at_;
    if (*at_ == ']') ++at_;
    while (*at_ && *at_ != ']') ++at_;
    if (*at_) ++at_;
  }

  const Char* at_;
  va_list more_;
};

size_t size_of(Length length) {
  switch (length) {
    case Length::tiny:
      return 1;
    case Length::small:
      return sizeof(short);
    case Length::none:
      return sizeof(int);
    default:
      return sizeof(long);
  }
}

template <typename Char>
void print_arguments(LibraryCall& call, const Char* format, va_list more) {
  if (!call.seen() || !format) return;
  Arguments<Char> arguments(format, more);
  Conversion c;
  while (arguments.next_printed(c)) {
    const bool wide = c.length == Length::large;
    switch (c.letter) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
      case 'b':
      case 'B':
        arguments.integer(c.length);
        break;
      case 'c':
      case 'C':
        arguments.integer(Length::none);
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (c.length == Length::huge)
          arguments.template take<long double>();
        else
          arguments.template take<double>();
        break;
      case 's':
      case 'S':
        if (wide || c.letter == 'S') {
          // The precision counts bytes of what is printed, of which a character has one at least.
          call.reads_string(arguments.template take<const wchar_t*>(), c.most);
        } else {
          call.reads_string(arguments.template take<const char*>(), c.most);
        }
        break;
      case 'p':
        arguments.template take<void*>();
        break;
      case 'n':
        call.writes(arguments.template take<void*>(), size_of(c.length));
        break;
      case 'm':
      case '%':
        break;
      default:
        return;
    }
  }
}

// The size of what a conversion has written to `to`.
size_t written_size(const Conversion& c, const void* to) {
  const bool wide = c.length == Length::large || c.letter == 'S' || c.letter == 'C';
  if (c.allocates) return sizeof(void*);
  switch (c.letter) {
    case 'c':
    case 'C':
      return (c.width ? c.width : 1) * (wide ? sizeof(wchar_t) : 1);
    case 's':
    case 'S':
    case '[':
      return wide ? LibraryCall::string_size(static_cast<const wchar_t*>(to), SIZE_MAX) *
                        sizeof(wchar_t)
                  : LibraryCall::string_size(static_cast<const char*>(to), SIZE_MAX);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return c.length == Length::huge    ? sizeof(long double)
             : c.length == Length::large ? sizeof(double)
                                         : sizeof(float);
    case 'p':
      return sizeof(void*);
    default:
      return size_of(c.length);
  }
}

template <typename Char>
void scan_arguments(const LibraryCall& call, const Char* format, int count, va_list more) {
  if (!call.seen() || !format) return;
  Arguments<Char> arguments(format, more);
  Conversion c;
  while (arguments.next_scanned(c)) {
    if (c.letter == '%' || c.dropped) continue;
    // What counts itself is written as soon as all before it was found.
    if (c.letter != 'n' && count-- <= 0) return;
    void* const to = arguments.template take<void*>();
    call.has_written(to, written_size(c, to));
  }
}

}  // namespace

void before_print(LibraryCall& call, const char* format, va_list more) {
  print_arguments(call, format, more);
}
void before_print(LibraryCall& call, const wchar_t* format, va_list more) {
  print_arguments(call, format, more);
}
void after_scan(const LibraryCall& call, const char* format, int count, va_list more) {
  scan_arguments(call, format, count, more);
}
void after_scan(const LibraryCall& call, const wchar_t* format, int count, va_list more) {
  scan_arguments(call, format, count, more);
}

}  // namespace jostle::rt
