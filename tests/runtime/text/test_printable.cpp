#include <doctest/doctest.h>

#include "runtime/printable.hpp"

using namespace troupe;

TEST_CASE("readable text is unchanged") {
  for (const char* text : {"", "plain ~ text!", "Grüße, 世界, שלום, 🎭"}) {
    CHECK(printable(text) == text);
    CHECK(is_printable(text));
  }
}

TEST_CASE("control characters of terminals are replaced") {
  CHECK(printable("\x1b[2Jgone\x07") == "?[2Jgone?");
  CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
  CHECK(printable("\x7f\xc2\x9b"
                  "31m") == "??31m");  // DEL, and C1's form of ESC [
  CHECK(printable("one\ntwo\r\n\tthree") == "one two   three");
  for (const char* hidden : {"\u202e", "\u2066", "\u200b", "\u2028", "\u061c", "\ufeff", "\U000e0041"}) {
    CHECK(printable(std::string("a") + hidden + "b") == "a?b");
    CHECK_FALSE(is_printable(hidden));
  }
}

TEST_CASE("invalid UTF-8 is replaced byte by byte") {
  CHECK(printable("\xff\xfe") == "??");
  CHECK(printable("\xc3") == "?");       // cut off
  CHECK(printable("\xc3(") == "?(");     // invalid continuation
  CHECK(printable("\xc0\x9b") == "??");  // overlong ESC
  CHECK(printable("\xe0\x80\x9b") == "???");
  CHECK(printable("\xed\xa0\x80") == "???");       // half of a surrogate pair
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond the last code point
}

TEST_CASE("a long text is cut at a character boundary") {
  CHECK(printable("abcdef", 6) == "abcdef");
  CHECK(printable("abcdefg", 6) == "abcdef...");
  CHECK(printable("abcdeü", 6) == "abcde...");
  CHECK(printable(std::string(1 << 20, 'x')).size() == kLongestPeerText + 3);
  CHECK_FALSE(is_printable(std::string(kLongestPeerText + 1, 'x')));
}
