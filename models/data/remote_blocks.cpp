#include "models/data/remote_blocks.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <tuple>

#include "models/data/in_parallel.hpp"
#include "models/data/last_used.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/open_bytes.hpp"
#include "runtime/http/remote_range.hpp"
#include "runtime/http/url.hpp"
#include "runtime/log.hpp"

namespace troupe {
namespace {

using Block = std::vector<std::byte>;
/// The blocks of several objects, by RemoteObject::number, offset and size.
using Blocks = LastUsed<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, Block>;

/// An object on a server that is in use.
struct RemoteObject {
  RemoteObject(const std::string& of, std::shared_ptr<Blocks> shared)
      : url(of), file(open_remote(of)), cache(DiskCache::of_environment()), blocks(std::move(shared)) {}

  const std::string url;
  const std::shared_ptr<const RemoteFile> file;
  const std::shared_ptr<DiskCache> cache;
  const std::shared_ptr<Blocks> blocks;
  /// Differs between all objects of this process. An object that is opened again may be another version, so it does not
  /// use the blocks of the former one.
  const std::uint64_t number = next_number();

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> count = 0;
    return ++count;
  }
};

/// Bytes of an object in blocks. The first block ends at `first_end`; each of the others has `block` bytes, except
/// the last one.
class RemoteBlocks final : public ByteSource {
 public:
  explicit RemoteBlocks(std::shared_ptr<const RemoteObject> object) : RemoteBlocks(std::move(object), 0, kRemotePart) {}
  RemoteBlocks(std::shared_ptr<const RemoteObject> object, std::uint64_t begin, std::uint64_t block)
      : object_(std::move(object)), first_end_(begin + block), block_(block) {}

  const std::shared_ptr<const RemoteObject>& object() const { return object_; }
  const std::string& path() const override { return object_->file->path(); }
  std::uint64_t size() const override { return object_->file->size(); }
  std::int64_t modified() const override { return object_->file->modified(); }
  std::uint64_t block_size() const override { return block_; }
  std::uint64_t block_end(std::uint64_t offset) const override {
    const std::uint64_t block = block_of(offset);
    return begin_of(block) + size_of(block);
  }
  void check_unchanged() const override {}  // each answer of the server is checked

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size() || out.size() > size() - offset) throw_bad_file(path(), "truncated");
    for (bool first = true; !out.empty(); first = false) {
      const std::uint64_t number = block_of(offset);
      const std::uint64_t skipped = offset - begin_of(number);
      const std::size_t count = std::min(size_of(number) - skipped, out.size());
      // Part of another block is the end of a sample. The rest of this block is perhaps never needed here.
      const bool keeps = first || count == size_of(number);
      const auto block = keeps ? get(number) : object_->blocks->peek(key_of(number));
      if (block)
        std::ranges::copy(std::span(*block).subspan(skipped, count), out.begin());
      else
        object_->file->read(offset, out.first(count));
      out = out.subspan(count);
      offset += count;
    }
  }
  void read_once(std::uint64_t offset, std::span<std::byte> out) const override { object_->file->read(offset, out); }

  void prefetch(std::uint64_t offset, std::uint64_t count) const noexcept override try {
    const std::uint64_t end = std::min(size(), offset + count);
    if (offset >= end) return;
    for (std::uint64_t number = block_of(offset); number <= block_of(end - 1); ++number)
      object_->blocks->prefetch(key_of(number), size_of(number), [&]() -> Blocks::Make {
        return [range = start(number, Urgency::later)] { return finish(*range); };
      });
  } catch (const std::exception&) {  // the error, if it persists, is that of `read`
  }
  void release(std::uint64_t offset) const noexcept override try {
    object_->blocks->release(key_of(block_of(offset)));
  } catch (const std::exception&) {  // the block stays in memory longer than needed
  }

 private:
  std::uint64_t block_of(std::uint64_t offset) const {
    return offset < first_end_ ? 0 : (offset - first_end_) / block_ + 1;
  }
  std::uint64_t begin_of(std::uint64_t block) const { return block == 0 ? 0 : first_end_ + (block - 1) * block_; }
  std::size_t size_of(std::uint64_t block) const {
    const std::uint64_t end = std::min(size(), first_end_ + block * block_);
    return static_cast<std::size_t>(end - begin_of(block));
  }
  std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> key_of(std::uint64_t block) const {
    return {object_->number, begin_of(block), size_of(block)};
  }

  std::shared_ptr<const Block> get(std::uint64_t block) const {
    return object_->blocks->get(key_of(block), size_of(block), [&] { return finish(*start(block, Urgency::now)); });
  }
  std::shared_ptr<RemoteRange> start(std::uint64_t block, Urgency urgency) const {
    return std::make_shared<RemoteRange>(object_->file, object_->url, begin_of(block), size_of(block), object_->cache,
                                         urgency);
  }
  static std::shared_ptr<const Block> finish(RemoteRange& range) {
    return std::make_shared<const Block>(range.finish());
  }

  std::shared_ptr<const RemoteObject> object_;
  std::uint64_t first_end_;
  std::uint64_t block_;
};

/// The objects of this process that are in use, and their blocks.
struct InUse {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const RemoteObject>> objects;  ///< by URL
  std::weak_ptr<Blocks> blocks;
};

std::shared_ptr<const RemoteObject> open_object(const std::string& url) {
  static InUse& in_use = *new InUse;
  std::shared_ptr<Blocks> blocks;
  {
    const std::lock_guard lock(in_use.mutex);
    if (auto found = in_use.objects[url].lock()) return found;
    std::erase_if(in_use.objects, [](const auto& each) { return each.second.expired(); });
    blocks = in_use.blocks.lock();
    if (!blocks) in_use.blocks = blocks = std::make_shared<Blocks>(part_memory());
  }
  auto opened = std::make_shared<const RemoteObject>(url, std::move(blocks));
  const std::lock_guard lock(in_use.mutex);
  in_use.objects[url] = opened;
  return opened;
}

}  // namespace

std::shared_ptr<const ByteSource> open_data(const std::string& name) {
  if (is_url(name)) return std::make_shared<const RemoteBlocks>(open_object(name));
  return std::make_shared<const InputFile>(name);
}

std::vector<std::shared_ptr<const ByteSource>> open_data(const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<const ByteSource>> opened(names.size());
  in_parallel(std::ranges::any_of(names, is_url) ? names.size() : 0,
              [&](std::size_t i) { opened[i] = open_data(names[i]); });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!opened[i]) opened[i] = open_data(names[i]);
  return opened;
}

void warn_of_little_part_memory(std::size_t bytes) {
  static std::atomic<std::size_t> told = 0;
  constexpr std::size_t kNeeded = kMostBytesMixed + kRemotePart;  // the parts that are shuffled together, and the next
  const std::size_t of_replica = bytes / replicas_of_process();
  if (of_replica >= kNeeded || told.exchange(of_replica) == of_replica) return;
  log_line(LogLevel::warning, "the data memory has room for " + std::to_string(of_replica >> 20) +
                                  " MB of data on servers for each replica; with less than " +
                                  std::to_string(kNeeded >> 20) + " MB, parts may be received several times");
}

std::shared_ptr<const ByteSource> with_blocks_of_rows(const std::shared_ptr<const ByteSource>& source,
                                                      std::uint64_t begin, std::uint64_t row) {
  const auto* const blocks = dynamic_cast<const RemoteBlocks*>(source.get());
  if (blocks == nullptr || row == 0) return source;
  return std::make_shared<const RemoteBlocks>(blocks->object(), begin,
                                              std::max<std::uint64_t>(1, kRemotePart / row) * row);
}

}  // namespace troupe
