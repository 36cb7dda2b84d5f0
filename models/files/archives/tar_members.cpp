#include "models/files/archives/tar_members.hpp"

#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "models/files/archives/archive_reader.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kTarBlock = 512;

/// The bytes of an archive, as a stream for ArchiveReader. Reads the archive in small pieces, and skips the content of
/// members without reading it.
class MemberBlocks final : public ByteStream {
 public:
  explicit MemberBlocks(const ArchiveBytes& archive) : archive_(archive) {}

  std::span<const std::byte> next() override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), archive_.size() - at_));
    const auto piece = std::span(block_).first(count);
    archive_.read(at_, piece);
    at_ += count;
    return piece;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    const std::uint64_t skipped = std::min(bytes, archive_.size() - at_);
    at_ += skipped;
    return skipped;
  }

 private:
  const ArchiveBytes& archive_;
  std::uint64_t at_ = 0;
  std::array<std::byte, 4096> block_{};
};

class OneBlock final : public ByteStream {
 public:
  explicit OneBlock(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> next() override { return std::exchange(bytes_, {}); }

 private:
  std::span<const std::byte> bytes_;
};

std::string member_name(archive_entry* entry) {
  // The first function returns null if the name has characters that the locale of the process cannot represent. In this
  // case, the second function returns the name.
  for (const char* const name : {archive_entry_pathname(entry), archive_entry_pathname_utf8(entry)})
    if (name != nullptr) return name;
  return {};
}

bool is_link_entry(archive_entry* entry) {
  return archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr ||
         archive_entry_filetype(entry) == AE_IFLNK;
}

/// Returns the TarMember for `entry`, which the last call of `reader.next()` returned.
/// @param reader must have read the header of `entry`, but nothing of its content
TarMember member_of(const ArchiveBytes& archive, const ArchiveReader& reader, archive_entry* entry) {
  TarMember member{.name = member_name(entry), .offset = reader.header_position()};
  if (member.name.size() > kLongestMemberName)
    throw_bad_file(archive.path(), "the name of the member at byte " + std::to_string(member.offset) + " has " +
                                       std::to_string(member.name.size()) + " bytes; the limit is 4096");
  if (is_link_entry(entry)) member.kind = TarMember::Kind::link;
  if (archive_entry_sparse_count(entry) > 0) member.kind = TarMember::Kind::sparse;
  const std::uint64_t header = reader.position() - member.offset;
  member.bytes = header + static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
  return member;
}

}  // namespace

std::string place_of(const std::string& archive, const TarMember& member) {
  return printable(member.name, 200) + " at byte " + std::to_string(member.offset) + " of " + archive;
}

void for_each_member(const ArchiveBytes& archive, const std::function<void(const TarMember&)>& use) {
  MemberBlocks blocks(archive);
  ArchiveReader reader(archive.path(), ArchiveReader::Format::tar, blocks);
  std::uint64_t count = 0;
  std::uint64_t end = 0;
  while (archive_entry* const entry = reader.next()) {
    if (++count > kMostMembers)
      throw Error(ErrorCode::limit_reached,
                  "the archive has more than " + std::to_string(kMostMembers) + " members: split it",
                  {.object = archive.path()});
    const TarMember member = member_of(archive, reader, entry);
    const bool content = member.kind == TarMember::Kind::file;
    if (content && (member.offset > archive.size() || member.bytes > archive.size() - member.offset))
      throw_bad_file(archive.path(), "truncated in " + printable(member.name, 200) + " at byte " +
                                         std::to_string(member.offset) + ": expected " + std::to_string(member.bytes) +
                                         " bytes");
    end = content ? member.offset + member.bytes : reader.position();
    if (member.kind != TarMember::Kind::file || archive_entry_filetype(entry) == AE_IFREG) use(member);
  }
  // Checks that the archive has an end mark after its last member. Without this check, an archive that was truncated
  // between two members would be accepted as a shorter archive.
  if (archive.size() < (end + kTarBlock - 1) / kTarBlock * kTarBlock + kTarBlock)
    throw_bad_file(archive.path(), "truncated: there is no end mark after the last member");
}

TarExtent::TarExtent(const TarMember& member)
    : offset(member.offset),
      bytes(static_cast<std::uint32_t>(std::min<std::uint64_t>(member.bytes, UINT32_MAX))),
      name_hash(static_cast<std::uint32_t>(std::hash<std::string>()(member.name))) {}

TarContent read_member(const ArchiveBytes& archive, const TarExtent& member) {
  std::string place = "the member at byte " + std::to_string(member.offset) + " of " + archive.path();
  if (member.offset > archive.size() || member.bytes > archive.size() - member.offset)
    throw_bad_file(
        place, "the member lies behind the end of the archive, which has " + std::to_string(archive.size()) + " bytes");
  if (member.bytes > kMostBytesOfMember)
    throw Error(ErrorCode::limit_reached,
                "the member is larger than " + std::to_string(kMostBytesOfMember >> 20) + " MB", {.object = place});
  std::vector<std::byte> bytes(member.bytes);
  archive.read(member.offset, bytes);
  OneBlock block(bytes);
  ArchiveReader reader(place, ArchiveReader::Format::tar, block);
  archive_entry* const entry = reader.next();
  TarMember found = entry != nullptr ? member_of(archive, reader, entry) : TarMember();
  const bool is_file = entry != nullptr && found.kind == TarMember::Kind::file;
  found.offset += member.offset;
  if (!found.name.empty()) place = place_of(archive.path(), found);
  if (!is_file || TarExtent(found) != member)
    throw_bad_file(place, "found another member here: the archive has changed, or its index is wrong");
  std::vector<std::byte> content(static_cast<std::size_t>(archive_entry_size(entry)));
  if (reader.read(content) != content.size()) throw_bad_file(place, "truncated");
  return {std::move(place), std::move(content)};
}

}  // namespace troupe
