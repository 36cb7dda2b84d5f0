#include "fuzz/support.hpp"
#include "models/data/tar/tar_index.hpp"
#include "runtime/files/input_file.hpp"

using namespace troupe;

namespace {

/// Corrects the checksum of each header, because random bytes would never pass the check.
std::string with_sums(std::string bytes) {
  for (std::size_t at = 0; at + 512 <= bytes.size(); at += 512) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    bytes.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (std::size_t i = at; i < at + 512; ++i) sum += static_cast<unsigned char>(bytes[i]);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum & 0777777U);
    bytes.replace(at + 148, 7, text, 7);
  }
  return bytes;
}

void read_archive(const std::string& bytes) {
  static fuzz::InputInFile file;
  const InputFile input(file.hold(std::as_bytes(std::span(bytes))));
  constexpr std::uint64_t kMost = 1 << 20;
  const ArchiveBytes archive = is_compressed(input) ? ArchiveBytes("x.tar", read_decompressed(input, kMost))
                                                    : ArchiveBytes(std::make_shared<const InputFile>(input.path()));
  TarIndex index{input.size(), input.modified(), archive.size(), find_samples(archive)};
  index.samples.for_each([&](const TarSample& sample) {
    fuzz::expect(sample.answer != TarAnswer::none, "a sample has a class or targets");
    fuzz::expect(read_member(archive, sample.values).bytes.size() <= sample.values.bytes,
                 "a listed member can be read");
  });
  const auto again = tar_index_from(to_text(index));
  fuzz::expect(again && *again == index, "the index is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& each : {bytes, with_sums(bytes)})
    fuzz::may_refuse([&] { read_archive(each); }, {ErrorCode::bad_file, ErrorCode::limit_reached});
  return 0;
}
