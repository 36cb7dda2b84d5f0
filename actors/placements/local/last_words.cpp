#include "actors/placements/local/last_words.hpp"

#include <unistd.h>

#include <array>
#include <new>
#include <string>

#include "actors/messages/messages.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe {
namespace {

constexpr std::size_t kLongest = 2000;
/// The position of the error in the file in bytes, after the counter of signs of life.
constexpr off_t kTextAt = sizeof(std::uint64_t);

}  // namespace

FileDescriptor make_last_words() { return open_memory_file("troupe-last-words"); }

void leave_last_words(int file, const std::exception& error) noexcept try {
  const auto* const known = dynamic_cast<const Error*>(&error);
  const ErrorCode code = known != nullptr ? known->code() : ErrorCode::system;
  const std::string text = static_cast<char>(code) + std::string(known != nullptr ? known->message() : error.what());
  if (::pwrite(file, text.data(), std::min(text.size(), kLongest), kTextAt) < 0)
    return;  // then only the exit status shows that the process has failed
} catch (const std::bad_alloc&) {
  return;
}

std::optional<Error> read_last_words(int file, const Where& where) {
  std::array<char, kLongest> text{};
  const ssize_t got = ::pread(file, text.data(), text.size(), kTextAt);
  if (got <= 1) return std::nullopt;
  return Error(static_cast<ErrorCode>(text[0]), std::string(text.data() + 1, static_cast<std::size_t>(got) - 1), where);
}

void show_life(int file, std::uint64_t count) noexcept {
  if (::pwrite(file, &count, sizeof count, 0) < 0) return;  // then the driver detects the missing sign of life
}

std::uint64_t read_life(int file) noexcept {
  std::uint64_t count = 0;
  return ::pread(file, &count, sizeof count, 0) == sizeof count ? count : 0;
}

}  // namespace troupe
