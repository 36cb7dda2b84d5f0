#include "actors/callbacks/event_records.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "models/files.hpp"

namespace troupe_test {
namespace {

std::uint32_t plain_crc(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
  }
  return ~crc;
}

/// Reads values from the front of a byte string.
struct ByteReader {
  std::string_view rest;

  std::string_view take(std::size_t length) {
    REQUIRE(rest.size() >= length);
    const std::string_view taken = rest.substr(0, length);
    rest.remove_prefix(length);
    return taken;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string_view text() { return take(varint()); }
  void check_crc(std::string_view of) {
    const auto rotated = number<std::uint32_t>() - 0xa282ead8;
    CHECK((rotated >> 17 | rotated << 15) == plain_crc(of));
  }
};

void read_scalar(ByteReader value, RecordedEvent& event) {
  REQUIRE(value.varint() == (1 << 3 | 2));
  const std::string tag(value.text());
  REQUIRE(value.varint() == (2 << 3 | 5));
  event.scalars[tag] = value.number<float>();
  CHECK(value.rest.empty());
}

RecordedEvent read_event(ByteReader fields) {
  RecordedEvent event;
  while (!fields.rest.empty()) {
    const auto key = fields.varint();
    if (key == (1 << 3 | 1)) {
      event.wall_time = fields.number<double>();
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(fields.varint());
    } else if (key == (3 << 3 | 2)) {
      event.version = fields.text();
    } else {
      REQUIRE(key == (5 << 3 | 2));
      for (ByteReader summary{fields.text()}; !summary.rest.empty();) {
        REQUIRE(summary.varint() == (1 << 3 | 2));
        read_scalar({summary.text()}, event);
      }
    }
  }
  return event;
}

}  // namespace

std::vector<RecordedEvent> events_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<RecordedEvent> events;
  for (const std::string& path : paths) {
    CHECK(path.find("/events.out.tfevents.") != std::string::npos);
    const std::string bytes = troupe::testing::read_file(path);
    for (ByteReader file{bytes}; !file.rest.empty();) {
      const std::string_view length = file.rest.substr(0, 8);
      const auto size = file.number<std::uint64_t>();
      file.check_crc(length);
      const std::string_view event = file.take(size);
      file.check_crc(event);
      events.push_back(read_event({event}));
    }
  }
  return events;
}

}  // namespace troupe_test
