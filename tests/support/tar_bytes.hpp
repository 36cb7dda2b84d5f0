#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe_test {

using TarFiles = std::vector<std::pair<std::string, std::string>>;  // names and contents

/// Returns a header of the ustar format with a correct checksum.
inline std::string tar_header(const std::string& name, const std::string& size_field, char type = '0',
                              const std::string& link = "") {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 8, std::string("0000644\0", 8));
  header.replace(124, size_field.size(), size_field);
  header.replace(136, 12, std::string("00000000000\0", 12));
  header.replace(148, 8, "        ");
  header[156] = type;
  header.replace(157, link.size(), link);
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  header.replace(148, 8, std::string(text, 7) + ' ');
  return header;
}

inline std::string tar_size(std::size_t size) {
  char text[13];
  std::snprintf(text, sizeof text, "%011zo", size);
  return text;
}

inline std::string tar_member(const std::string& name, const std::string& content) {
  const std::string padding((512 - content.size() % 512) % 512, '\0');
  return tar_header(name, tar_size(content.size())) + content + padding;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

/// Returns an uncompressed archive.
inline std::string tar_bytes(const TarFiles& files) {
  std::string bytes;
  for (const auto& [name, content] : files) bytes += tar_member(name, content);
  return bytes + tar_end();
}

/// Writes an archive with libarchive. @param set_format sets the format of the writer
template <class SetFormat>
void write_archive(const std::string& path, const TarFiles& files, const SetFormat& set_format) {
  archive* const writer = archive_write_new();
  set_format(writer);
  archive_write_open_filename(writer, path.c_str());
  for (const auto& [name, content] : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
}

/// Writes a tar archive. @param filter such as ARCHIVE_FILTER_GZIP
inline void write_tar(const std::string& path, const TarFiles& files, int filter) {
  write_archive(path, files, [filter](archive* writer) {
    archive_write_add_filter(writer, filter);
    archive_write_set_format_pax_restricted(writer);
  });
}

/// Writes a zip archive. @param compression "deflate" or "store"
inline void write_zip(const std::string& path, const TarFiles& files, const char* compression) {
  write_archive(path, files, [compression](archive* writer) {
    archive_write_set_format_zip(writer);
    archive_write_set_format_option(writer, "zip", "compression", compression);
  });
}

}  // namespace troupe_test
