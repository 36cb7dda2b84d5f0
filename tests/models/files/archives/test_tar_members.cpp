#include <archive.h>
#include <doctest/doctest.h>

#include <span>

#include "models/files.hpp"
#include "models/files/archives/tar_members.hpp"
#include "runtime/files/input_file.hpp"
#include "support/tar_bytes.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;

namespace {

ArchiveBytes in_memory(const std::string& bytes) {
  const auto view = std::as_bytes(std::span(bytes));
  return {"a.tar", {view.begin(), view.end()}};
}

std::vector<TarMember> members_in(const std::string& bytes) {
  std::vector<TarMember> members;
  for_each_member(in_memory(bytes), [&](const TarMember& member) { members.push_back(member); });
  return members;
}

std::string text_of_member(const std::string& bytes, const TarMember& member) {
  const std::vector<std::byte> content = read_member(in_memory(bytes), member).bytes;
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

/// Returns a record of an extended header.
std::string pax_record(const std::string& key, const std::string& value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length) ++length;
  return std::to_string(length) + " " + key + "=" + value + "\n";
}

std::string with_pax(const std::string& records, const std::string& member) {
  const std::string padding((512 - records.size() % 512) % 512, '\0');
  return tar_header("pax", tar_size(records.size()), 'x') + records + padding + member;
}

void refuses_archive(const std::string& bytes, const std::string& what) {
  check_throws(ErrorCode::bad_file, what, [&] { members_in(bytes); });
}

}  // namespace

TEST_CASE("members of an archive are found and can be read in any order") {
  const std::string long_name = std::string(150, 'd') + "/" + std::string(150, 'n');
  const std::string bytes = tar_member("a", "first") + with_pax(pax_record("path", long_name), tar_member("b", "2")) +
                            tar_header("folder/", tar_size(0), '5') + tar_header("device", tar_size(0), '3') +
                            tar_member("empty", "") + tar_member("c", std::string(10'000, 'x')) + tar_end();
  const auto members = members_in(bytes);
  REQUIRE(members.size() == 4);
  CHECK(members[0] == TarMember{"a", 0, 517});
  CHECK(members[1].name == long_name);
  CHECK(members[1].offset == 1024);
  CHECK(text_of_member(bytes, members[3]) == std::string(10'000, 'x'));
  CHECK(text_of_member(bytes, members[2]).empty());
  CHECK(text_of_member(bytes, members[1]) == "2");
  CHECK(text_of_member(bytes, members[0]) == "first");
  // Two archives concatenated, as `cat` writes them.
  CHECK(members_in(bytes + tar_bytes({{"d", "more"}})).size() == 5);
}

TEST_CASE("links and sparse files are distinguished") {
  const std::string links = tar_header("h", tar_size(0), '1', "a") + tar_header("l", tar_size(0), '2', "a");
  const auto members = members_in(links + tar_member("a", "x") + tar_end());
  REQUIRE(members.size() == 3);
  CHECK(members[0].kind == TarMember::Kind::link);
  CHECK(members[1].kind == TarMember::Kind::link);
  CHECK(members[2].kind == TarMember::Kind::file);
  const std::string map = pax_record("GNU.sparse.size", "1000") + pax_record("GNU.sparse.numblocks", "1") +
                          pax_record("GNU.sparse.offset", "500") + pax_record("GNU.sparse.numbytes", "3");
  CHECK(members_in(with_pax(map, tar_member("s", "abc")) + tar_end())[0].kind == TarMember::Kind::sparse);
}

TEST_CASE("the reader refuses a tar archive that is cut off at any point") {
  const std::string whole = tar_bytes({{"a", "first"}, {"b", std::string(600, 'x')}, {"c", ""}});
  for (std::size_t length = 0; length < whole.size() - 512; length += length % 512 == 0 ? 1 : 511)
    refuses_archive(whole.substr(0, length), "a.tar");
  CHECK(members_in(whole.substr(0, whole.size() - 512)).size() == 3);
}

TEST_CASE("archives with false sizes, long names or a wrong checksum are refused") {
  refuses_archive(tar_header("huge", std::string("\x80\0\0\0\x10\0\0\0\0\0\0\0", 12)) + tar_end(), "truncated in huge");
  refuses_archive(tar_header("negative", std::string(12, '\xff')) + tar_end(), "a.tar");
  refuses_archive(with_pax(pax_record("path", std::string(5000, 'n')), tar_member("a", "")) + tar_end(), "5000 bytes");
  refuses_archive(with_pax(pax_record("path", std::string(1 << 20, 'n')), tar_member("a", "")) + tar_end(), "a.tar");
  refuses_archive(with_pax(pax_record("size", "1152921504606846976"), tar_member("a", "")) + tar_end(),
                  "truncated in a");
  refuses_archive("no archive at all", "a.tar");
  std::string damaged = tar_bytes({{"a", "first"}, {"b", "second"}});
  damaged[1024] = 'c';  // the checksum of the header no longer fits
  refuses_archive(damaged, "a.tar");
}

TEST_CASE("a member is read only if it is at the place that the index names") {
  const std::string bytes = tar_bytes({{"a", "first"}, {"b", "second"}});
  const auto refuse = [&](const TarMember& member, const std::string& what) {
    check_throws(ErrorCode::bad_file, what, [&] { read_member(in_memory(bytes), member); });
  };
  refuse({"b", 0, 517}, "the archive has changed, or its index is wrong (a at byte 0 of a.tar)");
  refuse({"a", 0, 516}, "found another member");
  refuse({"a", 0, 600}, "found another member");
  refuse({"a", 1, 517}, "the member at byte 1 of a.tar");
  refuse({"a", 0, 100}, "the member at byte 0 of a.tar");
  refuse({"a", 0, 0}, "the member at byte 0 of a.tar");
  refuse({"a", bytes.size() + 1, 1}, "behind the end of the archive");
  refuse({"a", 512, UINT64_MAX}, "behind the end of the archive");
  refuse({"a", 2048, 512}, "found another member");
  CHECK(text_of_member(bytes, {"b", 1024, 518}) == "second");
}

TEST_CASE("compressed data is decompressed up to a limit, even from a tiny file") {
  const TemporaryFolder folder;
  constexpr std::uint64_t kMost = 1 << 20;
  const auto read = [&](const std::string& name) { return read_decompressed(InputFile(folder / name), kMost); };
  write_gzip(folder / "full.gz", std::string(kMost, '\0'));
  CHECK(read("full.gz").size() == kMost);
  write_gzip(folder / "bomb.gz", std::string(kMost + 1, '\0'));
  check_throws(ErrorCode::limit_reached, "bomb.gz", [&] { read("bomb.gz"); });
  check_throws(ErrorCode::limit_reached, "larger than 1 MB", [] { read_command("cat /dev/zero", kMost); });
  write_gzip(folder / "empty.gz", "");
  const std::string empty = read_file(folder / "empty.gz");
  std::string many = empty;
  while (many.size() < 3 * kMost) many += many;
  write_file(folder / "many.gz", many);
  check_throws(ErrorCode::limit_reached, "many.gz", [&] { read("many.gz"); });
  write_file(folder / "cut.gz", read_file(folder / "full.gz").substr(0, 200));
  check_throws(ErrorCode::bad_file, "cut.gz", [&] { read("cut.gz"); });
  write_tar(folder / "a.zst", {{"a", std::string(10'000, 'x')}}, ARCHIVE_FILTER_ZSTD);
  CHECK(read("a.zst").size() >= 10'240);
  write_file(folder / "cut.zst", read_file(folder / "a.zst").substr(0, 60));
  check_throws(ErrorCode::bad_file, "cut.zst", [&] { read("cut.zst"); });
}

TEST_CASE("checksum and length of each gzip member are checked, and data after the last member is refused") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    write_file(folder / "a.gz", bytes);
    const std::vector<std::byte> content = read_decompressed(InputFile(folder / "a.gz"), 1 << 20);
    return std::string(reinterpret_cast<const char*>(content.data()), content.size());
  };
  const auto refuses = [&](const std::string& bytes, const std::string& what) {
    check_throws(ErrorCode::bad_file, what, [&] { read(bytes); });
  };
  write_gzip(folder / "a.gz", std::string(100'000, 'x') + "end");
  const std::string good = read_file(folder / "a.gz");
  const std::string content = read(good);
  CHECK(content == std::string(100'000, 'x') + "end");
  CHECK(read(good + good) == content + content);
  CHECK(read(good + std::string(100'000, '\0')) == content);
  refuses(good + std::string(600, '\0') + good, "data after the zeros");
  refuses(good + "x", "a.gz");
  refuses(good + good.substr(0, good.size() - 1), "it is truncated");
  for (const std::size_t from_end : {1, 4, 5, 8}) {  // of the length, of the checksum
    std::string damaged = good;
    damaged[damaged.size() - from_end] ^= 1;
    refuses(damaged, "a.gz");
    refuses(damaged + good, "a.gz");
  }
}
