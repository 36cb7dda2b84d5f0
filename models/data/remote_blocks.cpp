#include "models/data/remote_blocks.hpp"

#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "models/data/data_memory.hpp"
#include "models/data/last_used.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/open_bytes.hpp"
#include "runtime/http/remote_range.hpp"
#include "runtime/http/url.hpp"

namespace troupe {
namespace {

using Block = std::vector<std::byte>;
/// The blocks of several objects, by URL and number of the block.
using Blocks = LastUsed<std::pair<std::string, std::uint64_t>, Block>;

class RemoteBlocks final : public ByteSource {
 public:
  RemoteBlocks(std::string url, std::shared_ptr<Blocks> blocks)
      : url_(std::move(url)),
        file_(open_remote(url_)),
        cache_(DiskCache::of_environment()),
        blocks_(std::move(blocks)) {}

  const std::string& path() const override { return file_->path(); }
  std::uint64_t size() const override { return file_->size(); }
  std::int64_t modified() const override { return file_->modified(); }
  std::uint64_t block_size() const override { return kRemotePart; }
  void check_unchanged() const override {}  // each answer of the server is checked

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size() || out.size() > size() - offset) throw_bad_file(path(), "truncated");
    std::size_t count = 0;
    for (bool first = true; !out.empty(); first = false, offset += count) {
      const std::uint64_t number = offset / kRemotePart;
      const std::uint64_t skipped = offset % kRemotePart;
      count = std::min(size_of(number) - skipped, out.size());
      // The end of a sample that begins in another block: the rest of this block is perhaps never needed here.
      const auto block = first ? get(number) : blocks_->peek({url_, number});
      if (block)
        std::ranges::copy(std::span(*block).subspan(skipped, count), out.begin());
      else
        file_->read(offset, out.first(count));
      out = out.subspan(count);
    }
  }

  void prefetch(std::uint64_t offset, std::uint64_t count) const noexcept override try {
    const std::uint64_t end = std::min(size(), offset + count);
    for (std::uint64_t number = offset / kRemotePart; number * kRemotePart < end; ++number)
      blocks_->prefetch({url_, number}, size_of(number),
                        [&]() -> Blocks::Make { return [range = start(number)] { return finish(*range); }; });
  } catch (const std::exception&) {  // the error, if it persists, is that of `read`
  }

 private:
  std::size_t size_of(std::uint64_t block) const {
    return static_cast<std::size_t>(std::min(kRemotePart, size() - block * kRemotePart));
  }

  std::shared_ptr<const Block> get(std::uint64_t block) const {
    return blocks_->get({url_, block}, size_of(block), [&] { return finish(*start(block)); });
  }
  std::shared_ptr<RemoteRange> start(std::uint64_t block) const {
    return std::make_shared<RemoteRange>(file_, url_, block * kRemotePart, size_of(block), cache_);
  }
  static std::shared_ptr<const Block> finish(RemoteRange& range) {
    return std::make_shared<const Block>(range.finish());
  }

  std::string url_;
  std::shared_ptr<const RemoteFile> file_;
  std::shared_ptr<const DiskCache> cache_;
  std::shared_ptr<Blocks> blocks_;
};

/// The objects of this process that are in use, and their blocks.
struct InUse {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const RemoteBlocks>> objects;  ///< by URL
  std::weak_ptr<Blocks> blocks;
};

}  // namespace

std::shared_ptr<const ByteSource> open_data(const std::string& name) {
  static InUse& in_use = *new InUse;
  if (!is_url(name)) return std::make_shared<const InputFile>(name);
  std::shared_ptr<Blocks> blocks;
  {
    const std::lock_guard lock(in_use.mutex);
    if (auto found = in_use.objects[name].lock()) return found;
    std::erase_if(in_use.objects, [](const auto& each) { return each.second.expired(); });
    blocks = in_use.blocks.lock();
    if (!blocks) in_use.blocks = blocks = std::make_shared<Blocks>(part_memory());
  }
  const auto opened = std::make_shared<const RemoteBlocks>(name, std::move(blocks));
  const std::lock_guard lock(in_use.mutex);
  in_use.objects[name] = opened;
  return opened;
}

}  // namespace troupe
