#include "models/files/archives/npz.hpp"

#include <archive_entry.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/files/archives/archive_reader.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Read at a time; memory is taken as bytes come, whatever a header promises.
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

std::vector<std::byte> read_content(ArchiveReader& archive, const std::string& name, std::uint64_t most) {
  std::vector<std::byte> content;
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0; size += got) {
    if (size > most)
      throw Error(ErrorCode::limit_reached, "its arrays take more than " + std::to_string(most >> 20) + " MB",
                  {.object = name});
    if (content.size() - size < kNpzPiece) content.resize(std::max(2 * content.size(), size + kNpzPiece));
    got = archive.read(std::span(content).subspan(size, kNpzPiece));
  }
  content.resize(size);
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
    NumberArray array = parse_npy(full_name, read_content(archive, full_name, most - bytes));
    bytes += array.bytes.size();
    if (!arrays.emplace(std::move(name), std::move(array)).second) throw_bad_file(path, "two arrays of one name");
  }
  if (arrays.empty()) throw_bad_file(path, "there is no array in it");
  return arrays;
}

}  // namespace troupe
