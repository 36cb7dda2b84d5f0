#include "actors/callbacks/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>

#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

template <class T>
std::string little_endian(T value) {
  static_assert(std::endian::native == std::endian::little);
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Returns the masked CRC-32C of `bytes`, as four bytes in little-endian order. To mask a CRC, TFRecord rotates it and
/// adds a constant, because a CRC over bytes that themselves contain CRCs detects fewer errors.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian<std::uint32_t>(std::rotr(crc, 15) + 0xa282ead8);
}

// The next functions encode fields of Protocol Buffers. A field consists of a key and a value. The key contains the
// field's number and the type of the value's encoding.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string key(unsigned field, unsigned type) { return varint(field << 3 | type); }
std::string integer_field(unsigned field, std::int64_t value) {
  return key(field, 0) + varint(static_cast<std::uint64_t>(value));
}
std::string double_field(unsigned field, double value) { return key(field, 1) + little_endian(value); }
std::string float_field(unsigned field, float value) { return key(field, 5) + little_endian(value); }
/// Returns an encoded field that contains a string or another message.
std::string bytes_field(unsigned field, std::string_view value) {
  return key(field, 2) + varint(value.size()) + std::string(value);
}

// Field numbers of tensorflow.Event:
constexpr unsigned kWallTime = 1;
constexpr unsigned kStep = 2;
constexpr unsigned kFileVersion = 3;
constexpr unsigned kSummary = 5;
// Field numbers of tensorflow.Summary and of its values:
constexpr unsigned kValue = 1;
constexpr unsigned kTag = 1;
constexpr unsigned kSimpleValue = 2;

std::string wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return double_field(kWallTime, std::chrono::duration<double>(now).count());
}

/// Creates a file in `folder` with an unused name. The name follows TensorFlow's scheme:
/// events.out.tfevents.SECOND.MACHINE.PROCESS.COUNTER.
WrittenFile create(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_bad_file(folder, "cannot be created: " + error.message());
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string stem = folder + "/events.out.tfevents." +
                           std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count()) + "." +
                           host.data() + "." + std::to_string(::getpid()) + ".";
  for (int number = 0;; ++number) {
    const std::string path = stem + std::to_string(number);
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file) return {std::move(file), path};
    if (errno != EEXIST) throw_cannot("write", path);
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

EventFile::EventFile(const std::string& folder) : file_(create(folder)) {
  write_record(wall_time() + bytes_field(kFileVersion, "brain.Event:2"));
}

void EventFile::write(std::int64_t step, const std::vector<Scalar>& scalars) {
  std::string summary;
  for (const auto& [name, value] : scalars)
    summary += bytes_field(kValue, bytes_field(kTag, name) + float_field(kSimpleValue, value));
  write_record(wall_time() + integer_field(kStep, step) + bytes_field(kSummary, summary));
}

void EventFile::write_record(std::string_view event) {
  const std::string length = little_endian(std::uint64_t{event.size()});
  const std::string record = length + masked_crc(length) + std::string(event) + masked_crc(event);
  file_.write_whole(std::as_bytes(std::span(record)));
}

}  // namespace troupe
