#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "runtime/http/gap_reader.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

/// An object whose bytes are their offsets modulo 251. Counts reads and bytes; each read takes a certain time.
class SlowObject final : public ByteSource {
 public:
  SlowObject(std::uint64_t bytes, std::chrono::milliseconds each) : bytes_(bytes), each_(each) {}

  const std::string& path() const override { return path_; }
  std::uint64_t size() const override { return bytes_; }
  std::int64_t modified() const override { return 1; }
  void check_unchanged() const override {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    ++reads;
    read_bytes += out.size();
    std::this_thread::sleep_for(each_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>((offset + i) % 251);
  }

  mutable int reads = 0;
  mutable std::uint64_t read_bytes = 0;

 private:
  std::string path_ = "http://server/object";
  std::uint64_t bytes_;
  std::chrono::milliseconds each_;
};

/// Reads 512 bytes at each multiple of `distance`, and checks them.
void read_headers(const GapReader& reader, std::uint64_t distance) {
  std::vector<std::byte> header(512);
  for (std::uint64_t offset = 0; offset + 512 <= reader.size(); offset += distance) {
    reader.read(offset, header);
    CHECK(header[100] == static_cast<std::byte>((offset + 100) % 251));
  }
}

}  // namespace

TEST_CASE("short gaps are read along, long ones are not") {
  const auto object = std::make_shared<SlowObject>(20'000'000, std::chrono::milliseconds(2));
  read_headers(GapReader(object), 1000);
  CHECK(object->reads < 10);
  CHECK(object->read_bytes <= object->size() + 4096);

  object->reads = 0;
  object->read_bytes = 0;
  read_headers(GapReader(object), 2'000'000);
  CHECK(object->reads == 10);
  CHECK(object->read_bytes == 10 * 4096);
}

TEST_CASE("a slow server is asked less often") {
  const auto object = std::make_shared<SlowObject>(8'000'000, std::chrono::milliseconds(100));
  read_headers(GapReader(object), 200'000);
  CHECK(object->reads < 10);
  CHECK(object->read_bytes <= object->size() + 4096);
}

TEST_CASE("a gap reader refuses to read behind the end, and reads at any place") {
  const GapReader reader(std::make_shared<SlowObject>(10'000, std::chrono::milliseconds(0)));
  std::vector<std::byte> bytes(600);
  for (const std::uint64_t offset : {9'400U, 0U, 5'000U, 5'500U, 100U}) {
    reader.read(offset, bytes);
    CHECK(bytes.back() == static_cast<std::byte>((offset + 599) % 251));
  }
  CHECK(code_of([&] { reader.read(9'500, bytes); }) == ErrorCode::bad_file);
  CHECK(code_of([&] { reader.read(~std::uint64_t{0}, bytes); }) == ErrorCode::bad_file);
  reader.read(10'000, {});
}
