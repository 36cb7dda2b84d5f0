#include "runtime/http/remote_range.hpp"

#include <utility>

#include "runtime/http/traffic.hpp"

namespace troupe {

RemoteRange::RemoteRange(std::shared_ptr<const RemoteFile> file, const std::string& url, std::uint64_t begin,
                         std::size_t size, std::shared_ptr<DiskCache> cache, Urgency urgency)
    : file_(std::move(file)), cache_(std::move(cache)), begin_(begin), size_(size), urgency_(urgency) {
  if (file_->modified() == 0) cache_ = nullptr;  // without a strong ETag, a later version could not be distinguished
  if (cache_) key_ = url + '\n' + file_->version() + '\n' + std::to_string(begin) + '\n' + std::to_string(size);
  if (!cache_ || !cache_->expect(key_)) request();
}

void RemoteRange::request() {
  bytes_.resize(size_);
  read_.emplace(*file_, begin_, bytes_, urgency_);
}

std::vector<std::byte> RemoteRange::finish() {
  if (!read_) {
    if (auto kept = cache_->read(key_, size_)) {
      note_remote_traffic({.cache_hits = 1});
      return std::move(*kept);
    }
    request();
  }
  read_->wait();
  if (cache_) cache_->keep(key_, bytes_);
  return std::move(bytes_);
}

}  // namespace troupe
