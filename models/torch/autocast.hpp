#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/Device.h>
#include <torch/version.h>

namespace troupe {

/// While an object of this class exists, this thread computes in mixed precision with bfloat16 on devices of a type
/// (torch.autocast), if `on` is true.
class Autocast {
 public:
  Autocast(bool on, c10::DeviceType device) : on_(on), device_(device) {
    if (!on_) return;
#if TORCH_VERSION_MAJOR >= 2
    before_ = at::autocast::is_autocast_enabled(device_);
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
#else  // Debian's version 1.13 has no accelerators
    before_ = at::autocast::is_cpu_enabled();
    at::autocast::set_cpu_enabled(true);
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
#endif
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
#if TORCH_VERSION_MAJOR >= 2
    at::autocast::set_autocast_enabled(device_, before_);
#else
    at::autocast::set_cpu_enabled(before_);
#endif
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  [[maybe_unused]] c10::DeviceType device_;
  bool before_ = false;
};

}  // namespace troupe
