#include "models/files/archives/archive_reader.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {

void ArchiveReader::Free::operator()(archive* reader) const { archive_read_free(reader); }

ArchiveReader::ArchiveReader(std::string path, Format format, ByteStream& from)
    : path_(std::move(path)), client_{from}, reader_(archive_read_new()) {
  if (!reader_) throw Error(ErrorCode::limit_reached, "no memory to read an archive", {.object = path_});
  set_format(format);
  archive_read_set_read_callback(reader_.get(), read_stream);
  archive_read_set_skip_callback(reader_.get(), skip_stream);
  archive_read_set_callback_data(reader_.get(), &client_);
  if (archive_read_open1(reader_.get()) != ARCHIVE_OK) fail();
}

void ArchiveReader::set_format(Format format) {
  if (format == Format::tar) {
    archive_read_support_format_tar(reader_.get());
    // Without this option, reading would stop at the end of the first of several concatenated archives.
    archive_read_set_options(reader_.get(), "read_concatenated_archives");
    return;
  }
  if (format == Format::zip) {
    archive_read_support_format_zip_streamable(reader_.get());
    return;
  }
  archive_read_support_format_raw(reader_.get());
  // Allows only the filter for zstd. If all filters of libarchive were allowed, a few bytes that are compressed many
  // times could take unlimited time to decompress.
  if (archive_read_append_filter(reader_.get(), ARCHIVE_FILTER_ZSTD) != ARCHIVE_OK)
    throw Error(ErrorCode::unsupported, "this machine's libarchive does not support zstd", {.object = path_});
}

archive_entry* ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const int result = archive_read_next_header(reader_.get(), &entry);
  if (client_.error) std::rethrow_exception(client_.error);
  if (result == ARCHIVE_EOF) return nullptr;
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail();
  return entry;
}

std::size_t ArchiveReader::read(std::span<std::byte> to) {
  const la_ssize_t got = archive_read_data(reader_.get(), to.data(), to.size());
  if (got < 0 || client_.error) fail();
  return static_cast<std::size_t>(got);
}

std::uint64_t ArchiveReader::header_position() const {
  return static_cast<std::uint64_t>(archive_read_header_position(reader_.get()));
}

std::uint64_t ArchiveReader::position() const {
  return static_cast<std::uint64_t>(archive_filter_bytes(reader_.get(), 0));
}

void ArchiveReader::fail() const {
  if (client_.error) std::rethrow_exception(client_.error);
  const char* const why = archive_error_string(reader_.get());
  throw_bad_file(path_, "cannot read the archive near byte " + std::to_string(position()) + ": " +
                            (why != nullptr ? printable(why, 200) : "it is damaged"));
}

std::ptrdiff_t ArchiveReader::read_stream(archive* reader, void* client, const void** bytes) {
  auto& self = *static_cast<Client*>(client);
  try {
    const std::span<const std::byte> more = self.stream.next();
    *bytes = more.data();
    return std::ssize(more);
  } catch (...) {
    self.error = std::current_exception();
    archive_set_error(reader, EIO, "cannot be read");
    return -1;
  }
}

std::int64_t ArchiveReader::skip_stream(archive* /*reader*/, void* client, std::int64_t bytes) {
  return static_cast<std::int64_t>(static_cast<Client*>(client)->stream.skip(static_cast<std::uint64_t>(bytes)));
}

}  // namespace troupe
