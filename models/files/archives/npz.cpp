#include "models/files/archives/npz.hpp"

#include <archive_entry.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/files/archives/archive_reader.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

/// The number of bytes to read from a member of the .npz file at a time.
constexpr std::size_t kNpzPiece = std::size_t{1} << 20;

class FileStream final : public ByteStream {
 public:
  explicit FileStream(const std::string& path) : file_(path), block_(kNpzPiece) {}

  const std::string& path() const { return file_.path(); }
  std::span<const std::byte> next() override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), file_.size() - at_));
    file_.read(at_, std::span(block_).first(count));
    at_ += count;
    return std::span(block_).first(count);
  }

 private:
  InputFile file_;
  std::vector<std::byte> block_;
  std::uint64_t at_ = 0;
};

/// Reads the next piece of the archive's current member, and appends it to `content`. Reads at most so many bytes that
/// `content` then has `end` bytes.
void read_on(ArchiveReader& archive, std::vector<std::uint8_t>& content, std::uint64_t end) {
  const std::size_t had = content.size();
  content.resize(static_cast<std::size_t>(std::min<std::uint64_t>(had + kNpzPiece, end)));
  const std::size_t got = archive.read(std::as_writable_bytes(std::span(content).subspan(had)));
  content.resize(had + got);
}

std::vector<std::uint8_t> read_content(ArchiveReader& archive, const std::string& name, std::uint64_t most) {
  std::vector<std::uint8_t> content;
  read_on(archive, content, kNpzPiece);
  const std::uint64_t promised = npy_file_size(name, content);
  if (promised > most) throw_too_large(name, promised, most);
  content.reserve(promised + 1);  // one byte more than expected, so that extra bytes are detected
  for (std::size_t had = 0; had < content.size() && content.size() <= promised;) {
    had = content.size();
    read_on(archive, content, promised + 1);
  }
  return content;
}

}  // namespace

std::map<std::string, NumberArray> read_npz(const std::string& path, std::uint64_t most) {
  constexpr std::string_view kEnding = ".npy";
  FileStream file(path);
  ArchiveReader archive(path, ArchiveReader::Format::zip, file);
  std::map<std::string, NumberArray> arrays;
  std::uint64_t bytes = 0;
  while (archive_entry* const entry = archive.next()) {
    const char* const pathname = archive_entry_pathname(entry);
    std::string name = pathname == nullptr ? "" : pathname;
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    const std::string full_name = path + ":" + printable(name, 200);
    NumberArray array = take_npy(full_name, read_content(archive, full_name, most - bytes));
    bytes += array.bytes.size();
    if (!arrays.emplace(std::move(name), std::move(array)).second)
      throw_bad_file(path, "two arrays have the same name");
  }
  if (arrays.empty()) throw_bad_file(path, "the file contains no array");
  return arrays;
}

}  // namespace troupe
