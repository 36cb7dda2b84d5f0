"""Decodes JPEG files in archives on a server by WebDataset and PyTorch's DataLoader; prints one JSON line.

Images become 224 x 224 floats in [0, 1]: the shorter side is scaled (antialiased), and the middle is cut out.
"""
import argparse
import json
import time

import torch
import webdataset
from torchvision import transforms

import ddp


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urls", help="with a range such as {0..3}")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    options = parser.parse_args()
    torch.set_num_threads(1)
    prepare = transforms.Compose([transforms.Resize(224), transforms.CenterCrop(224), transforms.ToTensor()])
    images = webdataset.WebDataset(options.urls, shardshuffle=False).decode("pil").to_tuple("jpg", "cls")
    images = images.map_tuple(prepare, lambda label: label)
    loader = webdataset.WebLoader(images, batch_size=options.batch_size, num_workers=options.workers)
    start = time.perf_counter()
    count = sum(len(labels) for _, labels in loader)
    print(json.dumps({**ddp.versions(), "webdataset": webdataset.__version__, "images": count,
                      "images_per_second": count / (time.perf_counter() - start)}))


if __name__ == "__main__":
    main()
