<?php

// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Bloomery\Guard;

/** Rows that are about to be inserted. */
final class Announcement
{
    private readonly string $token;

    /** @param list<string> $names */
    public function __construct(
        private readonly Verbs $verbs,
        private readonly array $names,
        private readonly int $wait,
        private readonly float $waitLimit,
    ) {
        if ($wait < 0) {
            throw new \InvalidArgumentException("wait is $wait; allowed is a number of replicas from 1 on, or 0, which does not wait");
        }
        if ($wait > 0 && !($waitLimit >= 0.001 && $waitLimit <= 315360000)) {
            throw new \InvalidArgumentException("waitLimit is $waitLimit; allowed are 0.001 to 315360000 seconds");
        }
        $this->token = Verbs::token();
        try {
            $this->renew();
        } catch (NotAnnounced $error) {
            try {
                $this->release();
            } catch (NotErased) {
                // Its marks end by themselves.
            }
            throw $error;
        }
    }

    /**
     * Just before a commit that comes late: the marks hold anew. Whether they had held all the while.
     *
     * @throws NotAnnounced then roll back
     */
    public function renew(): bool
    {
        try {
            return $this->verbs->announce($this->names, $this->token, $this->wait, $this->waitLimit);
        } catch (ServerError $error) {
            throw new NotAnnounced('not announced, do not commit the rows: ' . $error->getMessage(), 0, $error);
        }
    }

    /**
     * After the commit or roll-back.
     *
     * @throws NotErased then call again
     */
    public function release(): void
    {
        try {
            $this->verbs->erase($this->names, $this->token);
        } catch (ServerError $error) {
            throw new NotErased('not erased, erase again: ' . $error->getMessage(), 0, $error);
        }
    }
}
